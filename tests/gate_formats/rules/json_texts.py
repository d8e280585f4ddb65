"""The JSON formats: each by its schema, and every row that went in."""
import json
import os

from rules.text import decoded, folded, plain, unsafe_characters

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEMAS = {
    "json": os.path.join(FOLDER, "..", "..", "specs", "schemas", "gate-result.json"),
    "gitlab-codequality": os.path.join(FOLDER, "schemas", "gitlab-codequality.json"),
    "badge": os.path.join(FOLDER, "schemas", "shields-endpoint.json"),
}
try:
    import jsonschema
    MISSING = None if hasattr(jsonschema, "Draft202012Validator") else "jsonschema 4.0 or later: no schema was checked"
except ImportError:
    MISSING = "python3-jsonschema: no schema was checked"


def loaded(text):
    """A document whose numbers are finite and whose keys stand once."""
    def refuse(constant):
        raise ValueError(constant)

    def once(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError(f"a key stands twice in {[key for key, _ in pairs]}")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)


def read(data):
    text, problems = decoded(data)
    problems += unsafe_characters(text)
    if "##[" in text:
        problems.append("an old workflow command")
    try:
        return loaded(text), problems
    except ValueError as error:
        return None, problems + [f"json: {error}"]


def schema_problems(name, document, part=None):
    if MISSING:
        return []
    with open(SCHEMAS[name], encoding="utf-8") as file:
        schema = json.load(file)
    if part:
        schema = schema["properties"][part]["items"]
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in errors[:3]]


def row_problems(rows, case):
    if [(row["assertion"], row["outcome"]) for row in rows] != [(row["assertion"], row["outcome"]) for row in case["rows"]]:
        return ["the rows are not those that went in"]
    problems = []
    for row, wanted in zip(rows, case["rows"]):
        if folded(row["id"]) != plain(wanted["id"]) or folded(row.get("text", "")) != plain(wanted["text"]):
            problems.append(f"{row['id'][:40]!r}, {row.get('text', '')[:40]!r}")
        if ("value" in row) != wanted["finite"]:
            problems.append(f"value {row.get('value')}")
    return problems


def check_json(data, case):
    document, problems = read(data)
    if document is None:
        return problems
    problems += schema_problems("json", document)
    if not problems:
        problems += row_problems(document["results"], case)
        if (document["status"], document["exit_code"]) != (case["status"], case["exit_code"]):
            problems.append(f"{document['status']} {document['exit_code']}")
    return problems


def check_jsonl(data, case):
    lines = data.split(b"\n")
    problems = [] if lines.pop() == b"" else ["the last line has no end"]
    documents = []
    for line in lines:
        document, broken = read(line)
        problems += broken
        if document is not None:
            documents.append(document)
    if problems:
        return problems
    if not documents or documents[0].get("schema") != "roofline.gate-result/1":
        return ["no line for the whole"]
    if (documents[0]["status"], documents[0]["exit_code"]) != (case["status"], case["exit_code"]):
        problems.append(f"{documents[0]['status']} {documents[0]['exit_code']}")
    for row in documents[1:]:
        problems += schema_problems("json", row, "results")
    return problems or row_problems(documents[1:], case)


def check_gitlab(data, case):
    document, problems = read(data)
    if document is None:
        return problems
    problems += schema_problems("gitlab-codequality", document)
    if problems:
        return problems
    wanted = [row for row in case["rows"] if row["outcome"] not in ("pass", "skip", "new")]
    if len(document) != len(wanted):
        problems.append(f"{len(document)} findings of {len(wanted)}")
    prints = [finding["fingerprint"] for finding in document]
    if len(set(prints)) != len(prints):
        problems.append(f"{len(prints) - len(set(prints))} findings have the fingerprint of another")
    return problems


def check_badge(data, case):
    document, problems = read(data)
    if document is None:
        return problems
    problems += schema_problems("badge", document)
    color = {"pass": "brightgreen", "error": "lightgrey", "fail": "red"}.get(case["status"])
    if not problems and color and document["color"] != color:
        problems.append(f"{document['color']} for {case['status']}")
    return problems


ROW = b'{"id": "a", "assertion": "b", "outcome": "fail", "value": 1.5, "text": "T"}'
ACCEPTED_JSON = (b'{"schema": "roofline.gate-result/1", "tool": {"name": "roofline", "version": "0"}, "status": "fail", "exit_code": 1, "gate": {"file": "f"}, '
                 b'"counts": {"pass": 0, "new": 0, "skip": 0, "quarantined": 0, "inconclusive": 0, "fail": 1, "error": 0}, "results": [' + ROW + b"]}\n")
REFUSED_JSON = {
    "no counts": (b'"counts"', b'"count"'),
    "an escape sequence": (b'"T"', b'"\x1b[31mT"'),
    "a bidirectional control": (b'"T"', '"T\u202e"'.encode()),
    "an old workflow command": (b'"T"', b'"T", "hint": "##[error]x"'),
    "not a number": (b"1.5", b"NaN"),
    "a key twice": (b'"id": "a"', b'"id": "b", "id": "a"'),
    "an unknown outcome": (b'"outcome": "fail"', b'"outcome": "failed"'),
    "another status": (b'"status": "fail"', b'"status": "pass"'),
    "no row": (ROW, b""),
    "another text": (b'"T"', b'"U"'),
    "no value": (b'"value"', b'"val"'),
}
ACCEPTED_JSONL = b'{"schema": "roofline.gate-result/1", "status": "fail", "exit_code": 1}\n' + ROW + b"\n"
REFUSED_JSONL = {
    "no line for the whole": (b"roofline.gate-result/1", b"x"),
    "half a line": (b'"exit_code": 1}', b'"exit_code": 1'),
    "two on a line": (b"}\n{", b"}{"),
    "no end": (b'"T"}\n', b'"T"}'),
    "another text": (b'"T"', b'"U"'),
    "a word for a number": (b"1.5", b'"fast"'),
}
FINDING = b'{"description": "d", "check_name": "c", "fingerprint": "0123456789abcdef", "severity": "major", "location": {"path": "f", "lines": {"begin": 1}}}'
ACCEPTED_GITLAB = b"[" + FINDING + b"]"
REFUSED_GITLAB = {
    "an unknown severity": (b"major", b"bad"),
    "a place before the first line": (b'"begin": 1', b'"begin": 0'),
    "a path with a dot": (b'"f"', b'"./f"'),
    "an absolute path": (b'"f"', b'"/f"'),
    "no finding": (FINDING, b""),
    "the same twice": (FINDING, FINDING + b", " + FINDING),
    "no fingerprint": (b"fingerprint", b"print"),
}
ACCEPTED_BADGE = b'{"schemaVersion": 1, "label": "roofline", "message": "0/1 in limits", "color": "red"}'
REFUSED_BADGE = {
    "no message": (b"0/1 in limits", b""),
    "another version": (b": 1,", b": 2,"),
    "an unknown colour": (b"red", b"reddish"),
    "another colour": (b"red", b"brightgreen"),
}

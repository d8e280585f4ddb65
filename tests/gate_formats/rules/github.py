"""Workflow commands, read as the runner reads a line of a log.

Source: actions/runner, src/Runner.Common/ActionCommand.cs. A line is a command where its first word is `::name`, up to
the next `::`; properties are split at commas and `=`. It is one as well where `##[name` stands anywhere in it.
"""
from rules.text import decoded, folded, is_cut_of, plain, unsafe_characters

COMMANDS = {"error", "warning", "notice"}
PROPERTIES = {"file", "line", "col", "title"}
MOST_ANNOTATIONS = 10  # of a step: the rest is dropped without a word
LONGEST_TITLE, LONGEST_MESSAGE = 255, 64 << 10  # of an annotation in the checks API


def unescaped(text, is_property):
    for code, char in (("%0D", "\r"), ("%0A", "\n")) + ((("%3A", ":"), ("%2C", ",")) if is_property else ()) + (("%25", "%"),):
        text = text.replace(code, char)
    return text


def command_of(line):
    """(name, properties, message), or None where the line is none."""
    line = line.lstrip()
    end = line.find("::", 2) if line.startswith("::") else -1
    if end < 0:
        return None
    name, _, rest = line[2:end].partition(" ")
    properties = {}
    for part in filter(None, rest.strip().split(",")):
        key, equals, value = part.partition("=")
        if equals and value:
            properties[key] = unescaped(value, True)
    return name, properties, unescaped(line[end + 2:], False)


def stray_commands(text):
    """Lines of a log that the runner would take for commands."""
    return [f"a command in {line[:120]!r}" for line in text.split("\n") if line.lstrip().startswith("::") or "##[" in line]


def level(outcome):
    return "error" if outcome in ("error", "fail") else "warning" if outcome in ("inconclusive", "quarantined") else None


def check(data, case):
    text, problems = decoded(data)
    problems += unsafe_characters(text)
    wanted = sorted(filter(None, (level(row["outcome"]) for row in case["rows"])))
    lines = text.split("\n")
    if lines.pop() != "":
        problems.append("the last line has no end")
    if len(lines) > MOST_ANNOTATIONS:
        problems.append(f"{len(lines)} annotations")
    seen = []
    for line in lines:
        command = command_of(line)
        if command is None or command[0] not in COMMANDS:
            problems.append(f"no command of ours: {line[:120]!r}")
            continue
        name, properties, message = command
        if not properties.get("title") or "file" in properties and ": " not in properties["title"] or len(properties["title"]) > LONGEST_TITLE:
            problems.append(f"title {properties.get('title', '')[:80]!r}")
        if not message.strip() or len(message.encode()) > LONGEST_MESSAGE:
            problems.append(f"a message of {len(message)} characters")
        if set(properties) - PROPERTIES:
            problems.append(f"properties {sorted(set(properties) - PROPERTIES)}")
        if "file" in properties:
            seen.append(name)
            if not is_cut_of(folded(properties["file"]), plain(case["file"])):
                problems.append(f"file {properties['file'][:80]!r}")
            texts = [plain(row["text"]) for row in case["rows"] if str(row["line"]) == properties.get("line", "0")]
            if not any(is_cut_of(folded(message), text) or text[:60] in folded(message) for text in texts):
                problems.append(f"line {properties.get('line')} says {message[:80]!r}")
        elif not message.startswith("and ") and plain(case["file"]):
            problems.append(f"neither a file nor a count: {line[:120]!r}")
    if plain(case["file"]) and len(wanted) < MOST_ANNOTATIONS and sorted(seen) != wanted:
        problems.append(f"{seen} instead of {wanted}")
    return problems


ACCEPTED = b"::error file=f,line=1,title=a%3A b%2C c::T%25\n"
REFUSED = {
    "a second command": (b"\n", b"\n::add-mask::y\n"),
    "a title that ends early": (b"%3A b", b"::b"),
    "no command": (b"::error", b"  error"),
    "half a character": (b"T%25", b"T\xe6\xa0"),
    "eleven": (b"\n", b"\n" + b"::error file=f,line=1,title=t: t::T\n" * 10),
    "a property of a stranger": (b"line=1", b"line=1,evil=1"),
    "another file": (b"file=f", b"file=g"),
    "a comma in a title": (b"b%2C c", b"b,evil=c"),
    "another level": (b"error", b"notice"),
    "another text": (b"T%25", b"U"),
}

"""JUnit's de-facto schema (schemas/junit.xsd, by xmllint), and what CI services make of the rest."""
import os
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as tree

from rules.text import decoded, folded, plain, unsafe_characters

XSD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "schemas", "junit.xsd")
ELEMENTS = {"error": "error", "fail": "failure", "pass": None}  # all other outcomes: skipped
MISSING = None if shutil.which("xmllint") else "xmllint (libxml2-utils): the schema was not checked"


def schema_problems(data):
    if MISSING:
        return []
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        file.write(data)
        file.flush()
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--huge", "--schema", XSD, file.name], capture_output=True, check=False)
        if done.returncode == 0:
            return []
        return [done.stderr.decode("utf-8", "replace").replace(file.name, "xml")[:300]]


def check(data, case):
    text, problems = decoded(data)
    problems += unsafe_characters(text) + schema_problems(data)
    try:
        suites = tree.fromstring(data)
    except tree.ParseError as error:
        return problems + [f"xml: {error}"]
    cases = suites.findall("./testsuite/testcase")
    if len(suites.findall("./testsuite")) != 1 or len(cases) != len(case["rows"]):
        return problems + [f"{len(cases)} cases of {len(case['rows'])}"]
    suite = suites.find("./testsuite")
    for attribute, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"), ("skipped", "testcase/skipped")):
        if suite.get(attribute) != str(len(suite.findall(path))):
            problems.append(f"{attribute}={suite.get(attribute)}, found {len(suite.findall(path))}")
    # GitLab keeps the first of several cases with the same name: https://docs.gitlab.com/ci/testing/unit_test_reports/
    names = [(one.get("classname"), one.get("name")) for one in cases]
    if len(set(names)) != len(names):
        problems.append(f"{len(names) - len(set(names))} cases have the name of another")
    for one, row in zip(cases, case["rows"]):
        verdicts = [child.tag for child in one]
        wanted = ELEMENTS.get(row["outcome"], "skipped")
        if verdicts != ([wanted] if wanted else []):
            problems.append(f"{row['assertion']}: {verdicts} for {row['outcome']}")
        for verdict in one:
            shown = folded(verdict.text or "")
            if plain(row["text"])[:60] not in shown:
                problems.append(f"{row['assertion']}: the body says {shown[:100]!r}")
            if plain(case["file"])[:60] not in shown:
                problems.append(f"{row['assertion']}: no place in the body")
        if one.get("time") is not None and not re.fullmatch(r"\d+\.\d+", one.get("time")):
            problems.append(f"time {one.get('time')!r}")
    return problems


ACCEPTED = (b'<testsuites><testsuite name="s" tests="1" failures="1" errors="0" skipped="0">'
            b'<testcase classname="g.a" name="b" time="0.5"><failure message="T" type="physics">T\nf:1</failure></testcase></testsuite></testsuites>')
REFUSED = {
    "not closed": (b"</testsuites>", b""),
    "a control character": (b"g.a", b"g.\x01"),
    "an element of a stranger": (b"T\nf:1", b"<script>T f:1</script>"),
    "an attribute that ends early": (b"g.a", b'g"a'),
    "wrong counts": (b'failures="1"', b'failures="0"'),
    "a case without a name": (b' name="b"', b""),
    "an empty name": (b'name="b"', b'name=""'),
    "a time in words": (b'time="0.5"', b'time="nan"'),
    "a negative count": (b'errors="0"', b'errors="-1"'),
    "an unknown attribute": (b'time="0.5"', b'file="f"'),
    "an unknown character": (b"T\nf:1", b"T f:1&#1;"),
    "a skipped failure": (b"failure", b"skipped"),
    "no text": (b"T\nf:1", b"f:1"),
}

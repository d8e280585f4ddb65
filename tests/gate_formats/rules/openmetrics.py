"""The text format of OpenMetrics 1.0, by its grammar and the rules beside it.

Source: https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md, sections ABNF and text format.
"""
import re

from rules.text import decoded, unsafe_characters

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
# Any character but newline, quote and backslash, or a backslash and what it escapes.
STRING = r'(?:[^\n"\\]|\\[n"\\])*'
LABEL = rf'[a-zA-Z][a-zA-Z0-9_]*="{STRING}"'  # names with a leading underscore are reserved
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|[iI]nf(?:inity)?)|[nN]a[nN]"
DESCRIPTOR = re.compile(rf"# (?:(TYPE) ({NAME}) (gauge|counter|info|stateset|unknown)|(UNIT) ({NAME}) ([a-zA-Z0-9_:]*)|(HELP) ({NAME}) ({STRING}))")
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL}(?:,{LABEL})*)?)\}})? ({NUMBER})")
ONE_LABEL = re.compile(rf'([a-zA-Z0-9_]+)="({STRING})"')


def parsed(text):
    """Families in their order: name -> {"TYPE", "UNIT", "HELP", "samples": [(labels, value)]}, and what breaks a rule."""
    problems, families, current = [], {}, None
    lines = text.split("\n")
    if lines[-2:] != ["# EOF", ""]:
        problems.append(f"the end is {lines[-2:]!r}")
    for line in lines[:-2]:
        descriptor, sample = DESCRIPTOR.fullmatch(line), SAMPLE.fullmatch(line)
        if descriptor:
            kind, name, value = (group for group in descriptor.groups() if group is not None)
        elif sample:
            kind, name = "samples", sample.group(1)
        else:
            problems.append(f"no line of the grammar: {line[:160]!r}")
            continue
        if name != current and name in families:
            problems.append(f"{name} is interleaved with {current}")
        current = name
        family = families.setdefault(name, {"samples": []})
        if kind != "samples":
            if kind in family or family["samples"]:
                problems.append(f"{kind} of {name} stands twice, or after a sample")
            family[kind] = value
            continue
        labels = ONE_LABEL.findall(sample.group(2) or "")
        if len({label for label, _ in labels}) != len(labels):
            problems.append(f"a label stands twice: {line[:160]!r}")
        if any(sorted(labels) == sorted(other) for other, _ in family["samples"][-200:]):
            problems.append(f"the same labels again: {line[:160]!r}")
        family["samples"].append((labels, sample.group(3)))
    for name, family in families.items():
        if family.get("UNIT") and not name.endswith("_" + family["UNIT"]):
            problems.append(f"{name} does not end in its unit {family['UNIT']}")
        if family.get("TYPE") == "counter":
            problems.append(f"{name} is a counter: its samples end in _total")
        if "TYPE" not in family or "HELP" not in family:
            problems.append(f"{name} has no TYPE or no HELP")
    return families, problems


def check(data, case):
    text, problems = decoded(data)
    families, broken = parsed(text)
    problems += unsafe_characters(text) + broken
    failed = families.get("roofline_gate_failed", {"samples": []})["samples"]
    if len(failed) != len(case["rows"]):
        problems.append(f"{len(failed)} samples of {len(case['rows'])} assertions")
    if sum(float(value) for _, value in failed) != sum(row["outcome"] in ("fail", "error") for row in case["rows"]):
        problems.append("the failed ones are not those that failed")
    values = families.get("roofline_gate_value", {"samples": []})["samples"]
    if len(values) != sum(row["finite"] for row in case["rows"]):
        problems.append(f"{len(values)} values of {sum(row['finite'] for row in case['rows'])}")
    return problems


ACCEPTED = b"""# TYPE roofline_kernel_time_seconds gauge
# UNIT roofline_kernel_time_seconds seconds
# HELP roofline_kernel_time_seconds Time.
roofline_kernel_time_seconds{id="a"} 4e-06
# TYPE roofline_gate_value gauge
# HELP roofline_gate_value Value.
roofline_gate_value{id="a",assertion="b \\"x\\\\"} 1.5
# TYPE roofline_gate_failed gauge
# HELP roofline_gate_failed Failed.
roofline_gate_failed{id="a",assertion="b"} 1
# EOF
"""
REFUSED = {
    "no end": (b"# EOF\n", b""),
    "a line after the end": (b"# EOF\n", b"# EOF\nm 1\n"),
    "an empty line": (b"# EOF", b"\n# EOF"),
    "a quote": (b'\\"x', b'"x'),
    "a backslash": (b'\\"x', b"\\x"),
    "a newline": (b'\\"x', b"\nx"),
    "the same twice": (b"# EOF", b'roofline_gate_failed{assertion="b",id="a"} 0\n# EOF'),
    "interleaved": (b"# EOF", b'roofline_gate_value{id="c"} 1\n# EOF'),
    "a unit that the name lacks": (b"seconds seconds", b"seconds bytes"),
    "a word for a number": (b"1.5", b"fast"),
    "a blank too many": (b',assertion="b"', b', assertion="b"'),
    "a label twice": (b'assertion="b"', b'id="b"'),
    "a reserved label": (b"{id", b"{_id"),
    "a type twice": (b"# UNIT", b"# TYPE roofline_kernel_time_seconds gauge\n# UNIT"),
    "a counter": (b"failed gauge", b"failed counter"),
    "no failure": (b"} 1\n", b"} 0\n"),
}

#!/usr/bin/env python3
"""The formats that a gate writes, read back by the rules of those who read them.

    check.py --writer HOSTILE_RESULTS [--program ROOFLINE] [FORMAT...]

HOSTILE_RESULTS writes answers whose every text is hostile; each format's checker (rules/) must find nothing in them, and
something in every output that it ought to refuse. With the program: a result with the same names goes through
`roofline gate`. Exit 0: all hold; 1: something does not; 77: all hold, but a schema could not be checked.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from rules import csv as csv_rules
from rules import github, json_texts, junit, markdown, openmetrics, table

# format: its checker, what that must accept, changes that it must refuse, what is missing here
FORMATS = {
    "table": (table.check, table.ACCEPTED, table.REFUSED, None),
    "json": (json_texts.check_json, json_texts.ACCEPTED_JSON, json_texts.REFUSED_JSON, json_texts.MISSING),
    "jsonl": (json_texts.check_jsonl, json_texts.ACCEPTED_JSONL, json_texts.REFUSED_JSONL, json_texts.MISSING),
    "csv": (csv_rules.check, csv_rules.ACCEPTED, csv_rules.REFUSED, None),
    "markdown": (markdown.check, markdown.ACCEPTED, markdown.REFUSED, None),
    "junit": (junit.check, junit.ACCEPTED, junit.REFUSED, junit.MISSING),
    "github": (github.check, github.ACCEPTED, github.REFUSED, None),
    "gitlab-codequality": (json_texts.check_gitlab, json_texts.ACCEPTED_GITLAB, json_texts.REFUSED_GITLAB, json_texts.MISSING),
    "openmetrics": (openmetrics.check, openmetrics.ACCEPTED, openmetrics.REFUSED, None),
    "badge": (json_texts.check_badge, json_texts.ACCEPTED_BADGE, json_texts.REFUSED_BADGE, json_texts.MISSING),
}
# What small outputs of the checkers are held against.
A_CASE = {"case": "small", "name": "", "file": b"f".hex(), "status": "fail", "exit_code": 1,
          "rows": [{"id": b"a".hex(), "assertion": "b", "outcome": "fail", "text": b"T".hex(), "line": 1, "finite": True}]}
NAMES = ["<script>alert(1)</script>", "::error::x", "a ##[error]b", "]]>", "`a|b\\|c`", "a\n::add-mask::b", "\u202egnol\u202c", "\x00\x1b[31m",
         "=1+1", "@all #1 www.x.y", "k" * 100_000, "e" + "\u0301" * 50_000]
GATE = """schema: roofline.gate/1
gpu: h100-sxm5-80gb
kernels:
  - id: all
    match: {regex: "[^x]"}
    assert: {max_time: 1 us, bound: [memory], max_registers: 255}
"""


def problems_of(name, data, case):
    return [f"{name}, {case['case']}: {problem}" for problem in FORMATS[name][0](data, case)]


def check_checkers(names):
    problems = []
    for name in names:
        check, accepted, refused, missing = FORMATS[name]
        problems += problems_of(name, accepted, A_CASE)
        for what, (old, new) in refused.items():
            if old not in accepted:
                problems.append(f"{name}: nothing to change for {what}")
            elif not missing and not check(accepted.replace(old, new), A_CASE):
                problems.append(f"{name}: the checker lets {what} pass")
    return problems


def check_writer(writer, names):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
            cases = json.load(file)
        for case in cases:
            for name in names:
                with open(os.path.join(folder, f"{case['case']}.{name}"), "rb") as file:
                    problems += problems_of(name, file.read(), case)
    return problems


def result_with(names):
    kernels = [{"name": name, "launches": 10, "registers": 40, "grid": [i + 1, 1, 1], "measured": {
        "timing": "kernel", "runs": [{"launches": 10, "median_s": 2e-6, "q1_s": 2e-6, "q3_s": 2e-6}]}} for i, name in enumerate(names)]
    return {"schema": "roofline.result/1", "gpu": {"id": "h100-sxm5-80gb", "name": NAMES[0]}, "program": {"command": NAMES[0], "runs": 1, "exit_code": 0},
            "kernels": kernels}


def check_program(program, names):
    """The same from the command line: the names stand in a result, as a stranger would send one."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "roofline.gate.yml"), "w", encoding="utf-8") as file:
            file.write(GATE)
        with open(os.path.join(folder, "run.json"), "w", encoding="ascii") as file:
            json.dump(result_with(NAMES), file)
        reports = [word for name in {*names, "json"} for word in ("--report", f"{name}={name}.out")]
        done = subprocess.run([program, "gate", "roofline.gate.yml", "run.json", *reports], cwd=folder, capture_output=True, check=False,
                              env={**os.environ, "XDG_CONFIG_HOME": folder, "NO_COLOR": "1"})
        # No description is bound, so nothing says what bounds a kernel: an error, before the failures.
        if done.returncode != 2 or not done.stdout:
            return [f"the program ends with {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:500]}"]
        with open(os.path.join(folder, "json.out"), "rb") as file:
            answer = json.loads(file.read())
        case = {"case": "of the program", "name": "", "file": b"roofline.gate.yml".hex(), "status": answer["status"], "exit_code": answer["exit_code"],
                "rows": [{"id": row["id"].encode().hex(), "assertion": row["assertion"], "outcome": row["outcome"], "line": row["source"]["line"],
                          "text": row.get("text", "").encode().hex(), "finite": "value" in row} for row in answer["results"]]}
        if len(case["rows"]) != 3 * len(NAMES):
            problems.append(f"{len(case['rows'])} rows of {len(NAMES)} kernels")
        for name in names:
            with open(os.path.join(folder, name + ".out"), "rb") as file:
                problems += problems_of(name, file.read(), case)
        problems += problems_of("table", done.stdout, case)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--writer", required=True)
    parser.add_argument("--program")
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=", ".join(FORMATS))
    args = parser.parse_args()
    names = args.formats or list(FORMATS)
    unknown = [name for name in names if name not in FORMATS]
    if unknown:
        parser.error(f"no format {unknown[0]!r}")
    problems = check_checkers(names) + check_writer(args.writer, names)
    if args.program:
        problems += check_program(os.path.abspath(args.program), names)
    for problem in problems[:60]:
        print(f"FAILED {problem}"[:700])
    if problems:
        print(f"{len(problems)} problems")
        return 1
    missing = sorted({FORMATS[name][3] for name in names if FORMATS[name][3]})
    for what in missing:
        print(f"SKIPPED: install {what}")
    return 77 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

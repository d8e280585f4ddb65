#!/usr/bin/env python3
"""Runs cases of the command line as a user would, and compares what came out.

    run.py PROGRAM CASE...            compare; exit 1 when a case differs
    run.py --accept PROGRAM CASE...   rewrite the expected files instead
    run.py --docs PROGRAM [--accept]  compare (or renew) docs/cli.md and docs/ops.md

A case is a folder: `cmd` (a line for bash; `roofline` is the program), `stdout`, `stderr`, `exit`, and the input files
that the line names. Files that should appear are listed in a folder `expect`. A case runs in a copy of its folder, with
an environment of its own, so that neither this machine's settings nor the terminal's width matter.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPECTED = ("stdout", "stderr", "exit")
TIMEOUT_S = 60
DOCS = {"docs/cli.md": ["help", "--all"], "docs/ops.md": ["ops", "list", "--format", "markdown"]}


def masked(text: str, home: str) -> str:
    """What differs between builds, days and folders, replaced by its name."""
    text = text.replace(home, "<home>").replace(str(ROOT), "<root>")
    text = re.sub(r"\b0\.\d+\.\d+\b", "<version>", text)
    text = re.sub(r" \([0-9a-f]{7,}, \d{4}-\d\d-\d\d\)", " (<commit>)", text)
    text = re.sub(r'"commit": "[^"]*"', '"commit": "<commit>"', text)
    text = re.sub(r"(?:gcc|clang) [^\"\n]*?(, C\+\+20, |\")", r"<compiler>\1", text)
    text = re.sub(r"C\+\+20, \w*", "C++20, <build>", text)
    return re.sub(r'"build_type": "\w*"', '"build_type": "<build>"', text)


def environment(home: pathlib.Path, program: pathlib.Path) -> dict:
    bin_folder = home / "bin"
    bin_folder.mkdir()
    (bin_folder / "roofline").symlink_to(program)
    return {
        "PATH": f"{bin_folder}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
        "ROOT": str(ROOT),
        **{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))},
    }


def run(case: pathlib.Path, program: pathlib.Path) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        work = home / "case"
        shutil.copytree(case, work)
        done = subprocess.run(
            ["bash", "-c", (case / "cmd").read_text()], cwd=work, env=environment(home, program),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
        result = {
            "stdout": masked(done.stdout.decode("utf-8", "replace"), folder),
            "stderr": masked(done.stderr.decode("utf-8", "replace"), folder),
            "exit": f"{done.returncode}\n",
        }
        for file in sorted((case / "expect").glob("*")) if (case / "expect").is_dir() else []:
            made = work / file.name
            result[f"expect/{file.name}"] = masked(made.read_text(), folder) if made.is_file() else "(no such file)\n"
        return result


def differs(name: str, expected: str, actual: str) -> bool:
    if expected == actual:
        return False
    sys.stdout.writelines(difflib.unified_diff(
        expected.splitlines(keepends=True), actual.splitlines(keepends=True), f"expected {name}", f"actual {name}"))
    return True


def check_case(case: pathlib.Path, program: pathlib.Path, accept: bool) -> bool:
    bad = False
    for name, actual in run(case, program).items():
        file = case / name
        if accept:
            file.write_text(actual)
            continue
        expected = file.read_text() if file.is_file() else "(no such file)\n"
        bad = differs(f"{case.name}/{name}", expected, actual) or bad
    return bad


def check_docs(program: pathlib.Path, accept: bool) -> bool:
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        env = environment(pathlib.Path(folder), program)
        for name, words in DOCS.items():
            text = subprocess.run([program, *words], env=env, capture_output=True, check=True).stdout.decode()
            file = ROOT / name
            if accept:
                file.write_text(text)
            else:
                bad = differs(name, file.read_text() if file.is_file() else "", text) or bad
    return bad


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    program = args.program.resolve()
    bad = [case.name for case in args.cases if check_case(case.resolve(), program, args.accept)]
    if args.docs and check_docs(program, args.accept):
        bad.append("docs")
    if bad:
        print(f"differs: {', '.join(bad)}\nread the difference; tests/cli/accept.sh PROGRAM accepts it")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compiles a file twice: as it is it must pass, with EXPECT_COMPILE_ERROR it must fail, and for the reason that its
line "// expect: REGEX" names.  Usage: check.py FILE COMPILER ARGUMENT..."""

import pathlib
import re
import subprocess
import sys


def compile_file(file, compiler, *more):
    return subprocess.run([*compiler, *more, "-fsyntax-only", file], capture_output=True, text=True, check=False)


def main():
    file, compiler = sys.argv[1], sys.argv[2:]
    expected = re.search(r"^// expect: (.*)$", pathlib.Path(file).read_text(encoding="utf-8"), re.MULTILINE)
    if expected is None:
        return f"{file}: no line '// expect: REGEX'"
    good = compile_file(file, compiler)
    if good.returncode != 0:
        return f"{file} must compile as it is:\n{good.stderr}"
    bad = compile_file(file, compiler, "-DEXPECT_COMPILE_ERROR")
    if bad.returncode == 0:
        return f"{file} must not compile with EXPECT_COMPILE_ERROR"
    if not re.search(expected[1], bad.stderr):
        return f"{file} fails, but not with '{expected[1]}':\n{bad.stderr}"
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the commands that the documents quote and compares what they print.

A fenced block marked `console` holds lines "$ command" and, below each, its output (stdout, then stderr). A line of
"..." stands for any lines. Commands run in the root of the source tree with `roofline` being the program under test.

usage: quoted_output.py [--update] ROOFLINE SOURCE_DIR FILE...
"""
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def run(command, program, root):
    env = dict(os.environ, PATH=f"{pathlib.Path(program).parent}:{os.environ['PATH']}", COLUMNS="100", LC_ALL="C.UTF-8",
               XDG_CONFIG_HOME="/nonexistent")
    for name in ("ROOFLINE_GPU", "ROOFLINE_FORMAT", "ROOFLINE_COLOR", "ROOFLINE_CONFIG", "FORCE_COLOR", "CLICOLOR_FORCE"):
        env.pop(name, None)
    done = subprocess.run(command, shell=True, cwd=root, env=env, capture_output=True, text=True, timeout=60,
                          executable="/bin/bash")
    return (done.stdout + done.stderr).rstrip("\n").split("\n")


def matches(wanted, got):
    """`wanted` with its "..." lines against `got`, first match wins."""
    if "..." not in wanted:
        return wanted == got
    cut = wanted.index("...")
    if got[:cut] != wanted[:cut]:
        return False
    rest = wanted[cut + 1:]
    if not rest:
        return True
    return any(matches(rest, got[i:]) for i in range(cut, len(got) + 1))


def steps(block):
    """(command, output lines) of a console block."""
    found = []
    for line in block.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return [(c, o if not o or o[-1] else o[:-1]) for c, o in found]


def main():
    args = sys.argv[1:]
    update = "--update" in args
    program, root, *files = [a for a in args if a != "--update"]
    wrong = seen = 0
    for name in files:
        path = pathlib.Path(name)
        text = path.read_text()

        def check(found):
            nonlocal wrong, seen
            lines = []
            for command, wanted in steps(found.group(1)):
                seen += 1
                got = run(command, program, root)
                same = matches(wanted, got)
                if not same:
                    wrong += 1
                    print(f"{path.name}: $ {command}\n--- quoted\n" + "\n".join(wanted) + "\n--- printed\n" + "\n".join(got))
                lines += ["$ " + command] + (wanted if same else got) + [""]
            return "```console\n" + "\n".join(lines).rstrip("\n") + "\n```"

        new = BLOCK.sub(check, text)
        if update and new != text:
            path.write_text(new)
    print(f"{seen} quoted commands, {wrong} differ")
    return 1 if (wrong and not update) or not seen else 0


if __name__ == "__main__":
    sys.exit(main())

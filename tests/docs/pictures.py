#!/usr/bin/env python3
"""The pictures of docs/ are what the program draws now.

usage: pictures.py [--update] ROOFLINE SOURCE_DIR

A screenshot is not compared (browsers differ): tests/html/browser_test.py --screenshots makes them anew.
"""
import pathlib
import re
import subprocess
import sys

PICTURES = {"layer.svg": ["layer.json"], "change.svg": ["layer.json", "--before", "layer_before.json"]}


def without_version(text):
    return re.sub(r"roofline \d+\.\d+\.\d+", "roofline", text)


def main():
    update = "--update" in sys.argv
    program, root = (pathlib.Path(a).resolve() for a in sys.argv[1:] if a != "--update")
    old = []
    for name, words in PICTURES.items():
        drawn = subprocess.run([program, "report", *words, "--format", "svg"], cwd=root / "examples/results", check=True, capture_output=True, text=True).stdout
        file = root / "docs/pictures" / name
        if update:
            file.write_text(drawn)
        elif without_version(file.read_text()) != without_version(drawn):
            old.append(name)
    if old:
        print(f"docs/pictures: {', '.join(old)}: not what the program draws; tests/docs/pictures.py --update ROOFLINE SOURCE_DIR")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())

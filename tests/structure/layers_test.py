#!/usr/bin/env python3
"""A layer includes only what its row allows. Reads every #include of src/ and include/.

usage: layers_test.py SOURCE_DIR
"""
import pathlib
import re
import sys

LAYERS = {
    "base": set(),
    "quantities": {"base"},
    "machine": {"base", "quantities"},
    "kernel": {"base", "quantities"},
    "analysis": {"base", "quantities", "machine", "kernel"},
    "ingest": {"base", "quantities", "kernel"},
    "profile": {"base", "quantities", "kernel"},
    "report": {"base", "quantities", "machine", "kernel", "analysis"},
    "cli": {"base", "quantities", "machine", "kernel", "analysis", "ingest", "profile", "report"},
}
# Heavy headers are met once, behind a header of ours: path prefixes that may include them.
HEAVY = {
    "yaml-cpp/": ("src/base/",),
    "CLI/": ("src/cli/",),
    "nlohmann/": ("src/report/",),
    "cupti": ("src/profile/plugin/",),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def layer_of(path, root):
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "src" else parts[2]


def target_layer(name):
    parts = name.split("/")
    if parts[0] == "roofline":
        return parts[1]
    return parts[0] if parts[0] in LAYERS and len(parts) > 1 else None


def main():
    root = pathlib.Path(sys.argv[1])
    files = [f for d in ("src", "include") for f in (root / d).rglob("*") if f.suffix in (".cpp", ".hpp")]
    problems = []
    for file in sorted(files):
        where = file.relative_to(root).as_posix()
        layer = layer_of(file, root)
        if layer not in LAYERS:
            problems.append(f"{where}: '{layer}' is not a layer")
            continue
        for name in INCLUDE.findall(file.read_text()):
            target = target_layer(name)
            if target and target != layer and target not in LAYERS[layer]:
                problems.append(f"{where}: {layer} may not include {name}")
            for prefix, homes in HEAVY.items():
                if name.startswith(prefix) and not where.startswith(homes):
                    problems.append(f"{where}: {name} belongs behind a header of ours ({', '.join(homes)})")
    for line in problems:
        print(line)
    print(f"{len(files)} files read, {len(problems)} includes that the layers do not allow")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())

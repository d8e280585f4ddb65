#!/usr/bin/env python3
"""Holds the schemas of specs/schemas against what the program reads and writes.

usage: check.py --source DIR [--roofline PROGRAM]

Every example description and GPU file must be accepted, and documents with one mistake refused, so that the schemas are
neither too narrow nor empty. With the program: every example and some sweeps, as JSON, JSON lines and CSV, on one GPU and
on two; and the errors of broken files. Exit 0: all hold; 1: something does not; 77: jsonschema or yaml is missing.
"""
import argparse
import copy
import csv
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"SKIPPED: {missing}. Install python3-jsonschema (4.0 or later) and python3-yaml: nothing was checked.")
    sys.exit(77)
if not hasattr(jsonschema, "Draft202012Validator"):
    print("SKIPPED: this jsonschema knows no draft 2020-12. Install 4.0 or later: nothing was checked.")
    sys.exit(77)

GPU = "h100-sxm5-80gb"

SWEEPS = {
    "one kernel": """
params: {B: [1, 8, 64], N: 128:512:x2}
kernels: [{name: up, op: gemm, m: B, n: N, k: 4096, dtype: bf16}]
""",
    "chain with launch costs": """
params: {B: 1:3}
defaults: {dtype: bf16, launch_cost: 5 us}
kernels:
  - {name: up, op: gemm, m: B, n: 4096, k: 4096, repeat: 20}
  - {name: down, op: gemm, m: B, n: 4096, k: 4096, time: 9 us, timing: kernel}
""",
    "names nobody should trust": r"""
kernels:
  - {name: "=cmd|' /C calc'!A0", op: gemm, m: 64, n: 64, k: 64, dtype: bf16}
  - {name: "\e[31m</script>\u202Efed\u2028 \"quoted\",comma", op: gemm, m: 64, n: 64, k: 64, dtype: bf16}
""",
    "counts past 2^53": """
kernels:
  - {name: huge, op: gemm, m: 2097152, n: 2097152, k: 2097152, dtype: bf16, tile: {bm: 128, bn: 256, bk: 64, stages: 4}}
""",
    "impossible and generic": """
kernels:
  - {name: fast, op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16, time: 1 us, timing: kernel}
  - {name: mine, op: generic, symbols: {NX: 1026}, dtype: fp32, flops: 9*NX,
     tensors: [{name: u, shape: [NX+2], access: read}, {name: v, shape: [NX], access: write}]}
""",
}

BROKEN = {
    "unknown key": "kernels: [{op: gemm, mm: 1, n: 2, k: 3, dtype: bf16}]\n",
    "unknown op": "kernels: [{op: gem, m: 1}]\n",
    "syntax": "kernels: [{op: gemm\n",
    "empty": "",
}

# A change that the schema must refuse, applied to {op: gemm, m, n, k, dtype} in a file.
WRONG_ENTRIES = {
    "unknown key": {"mm": 4},
    "unknown op": {"op": "gem"},
    "key of another op": {"seq_q": 4},
    "time without unit": {"time": 410},
    "negative size": {"m": -1},
    "float size": {"m": 1.5},
    "wrong choice": {"activation": "gelu_sloppy"},
    "wrong timing": {"timing": "wall"},
    "unknown tile key": {"tile": {"bm": 1, "bn": 1, "bo": 1}},
    "nested unknown key": {"params": {"mm": 1}},
}


class Checker:
    def __init__(self, source):
        self.source = source
        self.failures = 0
        self.checked = 0
        folder = os.path.join(source, "specs", "schemas")
        self.schemas = {}
        for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
            with open(path, encoding="utf-8") as file:
                schema = json.load(file)
            jsonschema.Draft202012Validator.check_schema(schema)
            self.schemas[os.path.basename(path)[:-5]] = schema
        line = {"$ref": "#/$defs/line", "$defs": self.schemas["result"]["$defs"]}
        self.validators = {name: jsonschema.Draft202012Validator(s) for name, s in self.schemas.items()}
        self.validators["line"] = jsonschema.Draft202012Validator(line)

    def fail(self, what, why):
        self.failures += 1
        print(f"FAILED {what}: {why}"[:2000])

    def accepts(self, schema, document, what):
        self.checked += 1
        errors = list(self.validators[schema].iter_errors(document))
        if errors:
            worst = jsonschema.exceptions.best_match(errors)
            self.fail(what, f"{'/'.join(map(str, worst.absolute_path))}: {worst.message[:500]}")

    def refuses(self, schema, document, what):
        self.checked += 1
        if self.validators[schema].is_valid(document):
            self.fail(what, f"the {schema} schema accepts it")

    def holds(self, condition, what, why):
        self.checked += 1
        if not condition:
            self.fail(what, why)


def read_yaml(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def examples(source):
    return sorted(glob.glob(os.path.join(source, "examples", "**", "*.yaml"), recursive=True))


def is_kernels(document):
    return isinstance(document, list) or (isinstance(document, dict) and ("kernels" in document or "op" in document))


def check_inputs(checker):
    for path in sorted(glob.glob(os.path.join(checker.source, "specs", "gpus", "*.yaml"))):
        document = read_yaml(path)
        if document.get("schema") == "roofline.gpu/1":
            checker.accepts("gpu", document, path)
    checker.accepts("gpu", read_yaml(os.path.join(checker.source, "specs", "template.yaml")), "template.yaml")
    for path in examples(checker.source):
        if is_kernels(read_yaml(path)):
            checker.accepts("kernel", read_yaml(path), path)
    for name, text in SWEEPS.items():
        checker.accepts("kernel", yaml.safe_load(text), name)
    entry = {"op": "gemm", "m": 64, "n": "M*2", "k": 64, "dtype": "bf16"}
    checker.accepts("kernel", {"kernels": [entry]}, "a plain entry")
    checker.accepts("kernel", [entry], "a list of entries")
    checker.accepts("kernel", {**entry, "gpu": GPU}, "a lone entry")
    checker.refuses("kernel", {"kernels": [entry], "kernel": []}, "unknown key of a file")
    for name, change in WRONG_ENTRIES.items():
        checker.refuses("kernel", {"kernels": [{**entry, **change}]}, name)
    check_wrong_gpus(checker)


def check_wrong_gpus(checker):
    good = read_yaml(os.path.join(checker.source, "specs", "gpus", GPU + ".yaml"))

    def wrong(what, change):
        document = copy.deepcopy(good)
        change(document)
        checker.refuses("gpu", document, what)

    wrong("a bandwidth without a unit", lambda d: d["dram"]["bandwidth"].update(value="3.35"))
    wrong("a bandwidth in bytes", lambda d: d["dram"]["bandwidth"].update(value="3.35 TB"))
    wrong("a figure without its source", lambda d: d["dram"]["bandwidth"].pop("source"))
    wrong("an unknown key", lambda d: d.update(dramm=d["dram"]))
    wrong("an unknown rate type", lambda d: d["peaks"]["tensor"].update(bf61=d["peaks"]["tensor"]["bf16"]))
    wrong("an unknown key of a figure", lambda d: d["dram"]["bandwidth"].update(sauce="x"))


def run(program, arguments, text=None):
    environment = {**os.environ, "NO_COLOR": "1", "ROOFLINE_CONFIG": ""}
    environment.pop("ROOFLINE_CONFIG")
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=False, env=environment)


def numbers_are_finite(text):
    def refuse(constant):
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


def check_formats(checker, program, path, gpus, name):
    options = [option for gpu in gpus for option in ("--gpu", gpu)]
    texts = {}
    for output in ("json", "jsonl", "csv"):
        what = f"{name} as {output} on {len(gpus) or 'its own'} GPU(s)"
        result = run(program, ["analyze", path, *options, "--format", output])
        checker.holds(result.returncode == 0, what, f"exit {result.returncode}: {result.stderr[:500]}")
        if result.returncode != 0:
            return
        checker.holds(run(program, ["analyze", path, *options, "--format", output]).stdout == result.stdout, what,
                      "a second run writes other bytes")
        texts[output] = result.stdout
    document = numbers_are_finite(texts["json"])
    checker.accepts("result", document, f"{name} as json")
    lines = [numbers_are_finite(line) for line in texts["jsonl"].splitlines()]
    for line in lines:
        checker.accepts("line", line, f"{name} as jsonl")
    results = document.get("results", [document])
    kernels = [kernel for result in results for kernel in result["kernels"]]
    rows = [line for line in lines if "name" in line]
    table = list(csv.DictReader(io.StringIO(texts["csv"])))
    checker.holds(len(rows) == len(kernels) == len(table), name, f"{len(kernels)} kernels in JSON, {len(rows)} lines, {len(table)} rows")
    for kernel, row, cells in zip(kernels, rows, table):
        same = {k: v for k, v in kernel.items() if k not in ("levers", "notes", "margin")}
        checker.holds({k: v for k, v in row.items() if k not in ("gpu", "margin")} == same, name, f"{kernel['name']} differs between JSON and JSON lines")
        checker.holds(int(cells["flops"]) == kernel["flops"] and float(cells["time_floor_s"]) == kernel["time_floor_s"], name,
                      f"{kernel['name']} differs between JSON and CSV")
        checker.holds(cells["kernel"][:1] not in ("=", "+", "-", "@"), name, f"the cell {cells['kernel']!r} is a formula")
    checker.holds(all(c == "\n" or " " <= c != "\x7f" for text in texts.values() for c in text), name, "a control character is written")


def check_program(checker, program):
    with tempfile.TemporaryDirectory() as folder:
        inputs = [(path, os.path.relpath(path, checker.source)) for path in examples(checker.source) if is_kernels(read_yaml(path))]
        for name, text in SWEEPS.items():
            path = os.path.join(folder, name.replace(" ", "_") + ".yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            inputs.append((path, name))
        for path, name in inputs:
            document = read_yaml(path)
            own = isinstance(document, dict) and "gpu" in document
            check_formats(checker, program, path, [] if own else [GPU], name)
            if not own:
                check_formats(checker, program, path, [GPU, "a100-sxm4-80gb"], name)
        for name, text in BROKEN.items():
            result = run(program, ["analyze", "-", "--gpu", GPU, "--json"], text)
            checker.holds(result.returncode == 2, name, f"exit {result.returncode}")
            lines = result.stderr.splitlines()
            checker.holds(len(lines) > 0, name, "no error is written")
            for line in lines:
                checker.accepts("error", json.loads(line), name)
    for name in checker.schemas:
        result = run(program, ["schema", name])
        if result.returncode == 0:
            checker.holds(json.loads(result.stdout) == checker.schemas[name], f"roofline schema {name}", "prints another schema")
        else:
            checker.fail(f"roofline schema {name}", result.stderr[:500])


# A change that the schema must refuse, applied to a gate of one kernel.
WRONG_GATES = {
    "misspelt limit": {"assert": {"max_time_over_flor": 1.25}},
    "time without unit": {"assert": {"max_time": 2.1}},
    "limit of a range": {"assert": {"max_gpu_idle_pct": 20}},
    "no limits": {"assert": {}},
    "hostile id": {"id": "::error::x"},
    "unknown selector": {"match": {"nam": "x"}},
}


def gates(source):
    cases = glob.glob(os.path.join(source, "tests", "cli", "cases", "gate_*", "*.gate.yml"))
    return sorted(glob.glob(os.path.join(source, "examples", "**", "*.gate.yml"), recursive=True)
                  + [path for path in cases if os.sep + "gate_typo" + os.sep not in path])


def check_gates(checker, program):
    for path in gates(checker.source):
        checker.accepts("gate", read_yaml(path), path)
    entry = {"id": "a", "match": {"name": "a"}, "assert": {"max_time": "2.1 ms"}}
    checker.accepts("gate", {"kernels": [entry]}, "a plain gate")
    for name, change in WRONG_GATES.items():
        checker.refuses("gate", {"kernels": [{**entry, **change}]}, name)
    if not program:
        return
    for path in gates(checker.source):
        results = sorted(glob.glob(os.path.join(os.path.dirname(path), "*.json")))
        for result in [[]] + [[r] for r in results]:
            answer = run(program, ["gate", path, *result, "--json", "--today", "2026-11-30"])
            if answer.stdout:
                checker.accepts("gate-result", numbers_are_finite(answer.stdout), f"{path} {result}")


def keys_of(node):
    """Every key that some object of a schema may have."""
    if isinstance(node, list):
        return {key for part in node for key in keys_of(part)}
    if not isinstance(node, dict):
        return set()
    own = node.get("properties", {})
    return {key for key in own if isinstance(own, dict)} | {key for part in node.values() for key in keys_of(part)}


def check_gate_help(checker, program):
    """The reference of the gate file names every key that the schema allows."""
    for words in (["help", "gate-file"], ["help", "gate-file", "--man"]):
        text = run(program, words).stdout.replace("\\-", "-")
        for key in keys_of(checker.schemas["gate"]):
            checker.holds(re.search(rf"(?<![a-z_]){key}(?![a-z_])", text), f"roofline {' '.join(words)}", f"it does not name {key}")


def check_lines(checker, schema, path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            checker.accepts(schema, numbers_are_finite(line), f"{path}:{number}")


# A change that the schema must refuse, applied to one line of a baseline or a history, or to a comparison.
WRONG_LINES = {
    "baseline": {"no session": {"sessions": []}, "a time of nothing": {"sessions": [{"date": "2026-12-01", "time_s": 0, "runs": 3}]},
                 "no machine": {"gpu": ""}, "a date in words": {"sessions": [{"date": "today", "time_s": 1, "runs": 3}]}, "unknown key": {"gpus": "x"}},
    "history": {"a time in words": {"time_s": "fast"}, "an unknown outcome": {"outcome": "good"}, "unknown key": {"time": 1}},
    "compare": {"an unknown verdict": {"kernels": [{"id": "a", "verdict": "worse"}]}, "another method": {"method": "guess"}, "unknown key": {"speedup": 1}},
}


def check_records(checker, program):
    """What baseline, history and compare write, from the results of the cases of the command line."""
    cases = os.path.join(checker.source, "tests", "cli", "cases")
    case = os.path.join(cases, "baseline_of_a_gate")
    samples = {}
    with tempfile.TemporaryDirectory() as folder:
        baseline, history = os.path.join(folder, "baseline.json"), os.path.join(folder, "history")
        gate = os.path.join(case, "roofline.gate.yml")
        for result in ("run.json", "slower.json"):
            path = os.path.join(case, result)
            verdicts = os.path.join(folder, "verdicts.json")
            run(program, ["baseline", "record", "--allow-dirty", "-b", baseline, "--gate", gate, path])
            run(program, ["gate", gate, path, "--baseline", baseline, "--json", "-o", verdicts])
            run(program, ["history", "add", "-d", history, "--gate", gate, "--gate-result", verdicts, path])
        check_lines(checker, "baseline", baseline)
        files = sorted(glob.glob(os.path.join(history, "*")))
        checker.holds(len(files) == 2, "history", f"{len(files)} files of 2 runs")
        for path in files:
            check_lines(checker, "history", path)
        for name, path in (("baseline", baseline), ("history", files[0])):
            with open(path, encoding="utf-8") as file:
                samples[name] = json.loads(file.readlines()[1])
    for path in glob.glob(os.path.join(cases, "*", "roofline.baseline.json")):
        if os.sep + "baseline_refused" + os.sep not in path:
            check_lines(checker, "baseline", path)
    pairs = [("old.json", "new.json"), ("old.json", "old.json"), ("old.json", "a100.json"), ("old.json", "hostile.json")]
    for pair in pairs:
        done = run(program, ["compare", "--json", "--cross-gpu", *(os.path.join(cases, "compare_results", name) for name in pair)])
        samples["compare"] = numbers_are_finite(done.stdout)
        checker.accepts("compare", samples["compare"], f"compare {pair}")
    for name, changes in WRONG_LINES.items():
        for what, change in changes.items():
            checker.refuses(name, {**samples[name], **change}, what)


# Runs of tests/cli/made_run.py, a program that leaves the captures of a profiled one; with the options of `profile`.
PROFILES = {
    "chain": ["--runs", "3", "--counters", "--spec", "examples/rms_silu_gate_add_fused.yaml"],
    "small": [], "ranks": [], "phases": [], "cut": [], "new_gpu": [], "simulated": ["--gpu", GPU], "no_counters": ["--counters"],
    "fails": [], "killed": [], "refused": [], "no_kernels": [],
}


def check_profiles(checker, program):
    with tempfile.TemporaryDirectory() as folder:
        plugin = os.path.join(folder, "plugin.so")
        open(plugin, "w", encoding="utf-8").close()
        for scenario, options in PROFILES.items():
            path = os.path.join(folder, "run.json")
            options = [os.path.join(checker.source, o) if o.startswith("examples/") else o for o in options]
            made = os.path.join(checker.source, "tests", "cli", "made_run.py")
            environment = {k: v for k, v in os.environ.items() if k != "CUDA_INJECTION64_PATH"}
            subprocess.run([program, "profile", "-qq", "-o", path, *options, "--", sys.executable, made, scenario],
                           env={**environment, "ROOFLINE_PLUGIN": plugin}, capture_output=True, check=False)
            checker.holds(os.path.exists(path), f"profile of {scenario}", "no result is written")
            with open(path, encoding="utf-8") as file:
                checker.accepts("result", numbers_are_finite(file.read()), f"profile of {scenario}")
            os.remove(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--roofline")
    arguments = parser.parse_args()
    checker = Checker(arguments.source)
    check_inputs(checker)
    if arguments.roofline:
        check_program(checker, arguments.roofline)
        check_profiles(checker, arguments.roofline)
        check_records(checker, arguments.roofline)
        check_gate_help(checker, arguments.roofline)
    check_gates(checker, arguments.roofline)
    print(f"{checker.checked} checks, {checker.failures} failed")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""`roofline gate` as a whole: a gate of 10,000 kernels with two limits each, a result of five runs, a baseline of 12
sessions a kernel, beside `wc -l` of the same files. Target: 0.5 s of CPU.

usage: gate.py ROOFLINE [KERNELS]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

GPU, SESSIONS, RUNS = "h100-sxm5-80gb", 12, 5
MACHINE = {"gpu": GPU, "power_limit_w": 700, "ecc": True, "method": "cupti-trace/1"}


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write(text)


def make(folder, kernels):
    names = sorted(f"kernel_{i}" for i in range(kernels))
    write(folder, "roofline.gate.yml", f"gpu: {GPU}\nkernels:\n" + "".join(
        f"  - id: {name}\n    match: {{name: {name}}}\n    assert: {{max_time: 120 us, max_regression_pct: 5}}\n" for name in names))
    launch = {"grid": [132, 1, 1], "block": [256, 1, 1], "registers": 64, "code_hash": "ab"}
    runs = [[{"launches": 50, "median_s": round(1e-4 * (1 + 0.001 * ((i * 7 + r * 13) % 5 - 2)), 9)} for r in range(RUNS)] for i in range(kernels)]
    write(folder, "run.json", json.dumps({
        "schema": "roofline.result/1", "gpu": {"id": GPU}, "environment": {key: MACHINE[key] for key in ("method", "power_limit_w", "ecc")},
        "kernels": [{"name": name, **launch, "measured": {"timing": "kernel", "runs": of_it}} for name, of_it in zip(names, runs)]}))
    sessions = [{"date": f"2026-11-{day + 1:02}", "commit": "1f2e3d4", "time_s": round(1e-4 * (1 + 0.001 * (day % 3 - 1)), 9), "runs": RUNS, "spread": 0.003}
                for day in range(SESSIONS)]
    write(folder, "roofline.baseline.json", '{"schema":"roofline.baseline/1"}\n' + "".join(
        json.dumps({"id": name, **MACHINE, "name": name, **launch, "sessions": sessions}, separators=(",", ":")) + "\n" for name in names))


def timed(command, folder):
    """CPU seconds of the command: what other programs do on the machine is not in them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, kernels = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        make(folder, kernels)
        size = sum(entry.stat().st_size for entry in os.scandir(folder)) / 1e6
        count = min(timed(["wc", "-l", "run.json", "roofline.gate.yml", "roofline.baseline.json"], folder) for _ in range(3))
        seconds = min(timed([program, "gate", "roofline.gate.yml", "run.json", "-q", "--today", "2026-12-01"], folder) for _ in range(3))
    print(f"gate of {kernels} kernels x {SESSIONS} sessions ({size:.0f} MB): {seconds:.2f} CPU s   target <= 0.5 {'ok' if seconds <= 0.5 else 'MISSED'}")
    print(f"against wc -l: {seconds / max(count, 1e-3):.0f} times ({count:.3f} s)")
    return 0 if seconds <= 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())

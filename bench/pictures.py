#!/usr/bin/env python3
"""Pictures of results: from start to the file, processor time of the program.

usage: pictures.py PROGRAM [RUNS]

Targets: an SVG of 500 kernels in at most 10 times `true`, measured by turns; HTML of 10,000 kernels in 0.5 s.
"""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SVG_TARGET, HTML_TARGET = 10, 0.5
CEILINGS = [{"resource": "dram", "kind": "datasheet", "value": 3.35e12, "unit": "B/s"},
            {"resource": "tensor:bf16", "kind": "datasheet", "value": 989.4e12, "unit": "FLOP/s"},
            {"resource": "vector:fp32", "kind": "datasheet", "value": 66.9e12, "unit": "FLOP/s"}]


def kernel(i):
    time_s = 1e-3 / (1 + i)
    return {"name": f"kernel_{i}<T{i % 50}>", "launches": 1 + i % 9, "bytes": 10**6 * (1 + i % 97), "flops": 10**8 * (1 + i % 89),
            "pipe": "tensor:bf16" if i % 3 else "vector:fp32", "time_floor_s": time_s / (1 + i % 7 + 0.1),
            "bound": ["memory", "compute", "overhead"][i % 3], "measured": {"time_s": time_s, "timing": "kernel"}}


def result(folder, count):
    path = os.path.join(folder, f"{count}.json")
    gpu = {"id": "h100-sxm5-80gb", "name": "NVIDIA H100 SXM5 80GB", "ceilings": CEILINGS}
    pathlib.Path(path).write_text(json.dumps({"schema": "roofline.result/1", "gpu": gpu, "kernels": [kernel(i) for i in range(count)]}))
    return path


def wall(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def processor(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def say(what, holds):
    print(f"{what} {'ok' if holds else 'MISSED'}")
    return holds


def main():
    program = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as folder:
        small, large = result(folder, 500), result(folder, 10_000)
        ours, nothing = [], []
        for turn in range(runs):
            order = [(ours, [program, "report", small, "--format", "svg"]), (nothing, ["/bin/true"])]
            for times, command in order if turn % 2 == 0 else reversed(order):
                times.append(wall(command))
        svg, idle = statistics.median(ours), statistics.median(nothing)
        html = statistics.median(processor([program, "report", large, "--format", "html"]) for _ in range(max(3, runs // 10)))
    good = say(f"SVG of 500 kernels: {svg * 1e3:.1f} ms, true {idle * 1e3:.2f} ms: {svg / idle:.1f} times   target <= {SVG_TARGET}", svg <= SVG_TARGET * idle)
    return 0 if say(f"HTML of 10 000 kernels: {html:.2f} s   target <= {HTML_TARGET} s", html <= HTML_TARGET) and good else 1


if __name__ == "__main__":
    sys.exit(main())

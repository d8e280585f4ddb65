#!/usr/bin/env python3
"""From start to the verdict on a one-kernel file, against a program that does nothing.

usage: startup.py PROGRAM [RUNS]

Target: at most 5 times `true`. Both are started by turns from this process; the medians are compared.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

TARGET = 5
KERNEL = "kernels: [{op: gemm, m: 4096, n: 4096, k: 4096, dtype: bf16}]\n"


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return time.perf_counter() - start


def main():
    program = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "gemm.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(KERNEL)
        ours = [program, "analyze", path, "--gpu", "h100-sxm5-80gb"]
        nothing = ["/bin/true"]
        times = {"ours": [], "nothing": []}
        for turn in range(runs):
            order = [("ours", ours), ("nothing", nothing)]
            for name, command in order if turn % 2 == 0 else reversed(order):
                times[name].append(seconds(command))
    verdict, idle = statistics.median(times["ours"]), statistics.median(times["nothing"])
    holds = verdict <= TARGET * idle
    print(f"start to verdict: {verdict * 1e3:.2f} ms, true {idle * 1e3:.2f} ms: {verdict / idle:.2f} times   "
          f"target <= {TARGET} {'ok' if holds else 'MISSED'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())

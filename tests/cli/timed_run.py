#!/usr/bin/env python3
"""Stands for a CUDA program whose kernels take the times that it is told: what an A/B is tried with.

    timed_run.py NAME KERNEL=MICROSECONDS...

Its n-th process in this folder (of all names, by the lines of turns.txt) takes 0.2 % longer than the one before, as a GPU
that warms up does, and up to 0.3 % more or less, the same on every machine. turns.txt gets a line "NAME PID" of each. A
time of "fail" ends the program with status 3, one of "none" leaves the kernel out.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.argv, words = sys.argv[:1] + ["timed"], sys.argv[1:]
from made_run import Capture  # noqa: E402

DRIFT, NOISE = 0.002, (0.0, 0.003, -0.002, 0.001, -0.003, 0.002, -0.001)
HASHES = {"old": 0x01D, "new": 0x4E3}


def main():
    name, *kernels = words
    turn = sum(1 for _ in open("turns.txt", encoding="utf-8")) if os.path.exists("turns.txt") else 0
    with open("turns.txt", "a", encoding="utf-8") as file:
        file.write(f"{name} {os.getpid()}\n")
    factor = (1 + DRIFT * turn) * (1 + NOISE[turn % len(NOISE)])
    capture = Capture(pid=4000 + turn)
    capture.status()
    launches, failed = [], False
    for kernel in kernels:
        function, _, time = kernel.partition("=")
        failed = failed or time == "fail"
        if time in ("fail", "none"):
            continue
        shape = capture.shape(function)
        capture.code(function, 0, HASHES.get(name, 0))
        launches += [(shape, round(float(time) * 1000 * factor))] * 20
    capture.sequence(launches)
    capture.end()
    if failed:
        print(f"{name}: results differ", flush=True)
        sys.exit(3)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Audit of a table of a million times, beside `wc -l` of the same file. Target: 3 s and 32 MB for 1,000,000 rows on one
core.

usage: audit.py ROOFLINE [ROWS]
"""
import os
import resource
import subprocess
import sys
import tempfile

SHAPES = [(m, n, k) for m in (1, 16, 64, 256, 1024, 4096) for n in (1024, 4096, 8192) for k in (1024, 4096, 8192)]


def timed(command):
    """CPU seconds of the command: what other programs do on the machine is not in them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
        file.write("gpu,op,m,n,k,dtype,time_us,timing\n")
        for i in range(rows):
            m, n, k = SHAPES[i % len(SHAPES)]
            file.write(f"h100,gemm,{m},{n},{k},bf16,{10 + 2 * m * n * k / 5e8 + n * k * 2 / 2.5e6:.3f},graph\n")
    try:
        count = min(timed(["wc", "-l", file.name]) for _ in range(3))
        audit = min(timed([program, "audit", file.name, "--json"]) for _ in range(3))
    finally:
        os.unlink(file.name)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    seconds = audit * 1e6 / rows
    print(f"audit of {rows} rows: {audit:.2f} CPU s, {seconds:.2f} s a million   target <= 3 {'ok' if seconds <= 3 else 'MISSED'}")
    print(f"against wc -l: {audit / count:.0f} times ({count:.3f} s)")
    print(f"peak memory of both: {peak:.1f} MB   target <= 32 {'ok' if peak <= 32 else 'MISSED'}")
    return 0 if seconds <= 3 and peak <= 32 else 1


if __name__ == "__main__":
    sys.exit(main())

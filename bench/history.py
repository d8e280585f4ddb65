#!/usr/bin/env python3
"""One kernel out of a history of 5,000 runs x 200 kernels, beside `grep` of the same files. Targets: 1 s of CPU, and the
memory of 5,000 runs at most 1.25 times that of 500 plus what the shown points take (200 B each).

usage: history.py ROOFLINE [RUNS [KERNELS]]
"""
import datetime
import os
import subprocess
import sys
import tempfile

GPU = "h100-sxm5-80gb"
POINT_BYTES = 200


def make(folder, runs, kernels):
    start = datetime.datetime(2024, 1, 1)
    os.mkdir(folder)
    for run in range(runs):
        time = start + datetime.timedelta(hours=4 * run)
        head = (f'{{"schema":"roofline.history/1","time":"{time:%Y-%m-%dT%H:%M:%SZ}","commit":"{run:07x}","gpu":"{GPU}","power_limit_w":700,"ecc":true,'
                f'"method":"cupti-trace/1","driver":"580.65","kernels":{kernels}}}\n')
        lines = [f'{{"id":"kernel_{k}","time_s":{1e-4 * (1 + (run * 7 + k * 13) % 11 / 1000):.4g},"runs":5,"spread":0.0031,"floor_s":9.1e-05,'
                 f'"launches":50,"code_hash":"{k * 7919:016x}"}}\n' for k in range(kernels)]
        with open(os.path.join(folder, f"{time:%Y-%m-%dT%H-%MZ}-{run:07x}-{GPU}.jsonl"), "w", encoding="ascii") as file:
            file.write(head + "".join(lines))


def measured(command):
    """CPU seconds and peak memory in MB of the command alone."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed: {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(command):
    return min(measured(command) for _ in range(3))


def main():
    program = sys.argv[1]
    runs, kernels = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 5000), (3, 200)))
    with tempfile.TemporaryDirectory() as home:
        few, all_runs = os.path.join(home, "few"), os.path.join(home, "all")
        make(few, max(1, runs // 10), kernels)
        make(all_runs, runs, kernels)
        size = sum(entry.stat().st_size for entry in os.scandir(all_runs)) / 1e6
        show = [program, "history", "show", f"kernel_{kernels // 2}", "--last", "20", "-d"]
        _, small = best([*show, few])
        seconds, peak = best([*show, all_runs])
        grep, _ = best(["grep", "-rhc", f'"id":"kernel_{kernels // 2}"', all_runs])
    allowed = 1.25 * small + POINT_BYTES * runs / 1e6
    print(f"one kernel of {runs} runs x {kernels} kernels ({size:.0f} MB): {seconds:.2f} CPU s   target <= 1 {'ok' if seconds <= 1 else 'MISSED'}")
    print(f"against grep: {seconds / grep:.1f} times ({grep:.2f} s)")
    print(f"peak memory: {peak:.1f} MB, of a tenth of the runs {small:.1f} MB   target <= {allowed:.1f} {'ok' if peak <= allowed else 'MISSED'}")
    return 0 if seconds <= 1 and peak <= allowed else 1


if __name__ == "__main__":
    sys.exit(main())

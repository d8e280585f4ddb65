#!/usr/bin/env python3
"""What tracing adds to a launch: our plug-in against one that only counts, on the simulated driver and CUPTI.

usage: plugin_cost.py PLUGIN SIM_FOLDER LAUNCHES_PROGRAM [LAUNCHES]

Targets: at most 350 ns of processor time a launch above the plug-in in mode `count`, memory of 10 million launches at
most 16 MB above mode `count`'s, at most 64 bytes a launch in the capture. The three modes run by turns; medians of
processor time (the program's, all threads). What CUPTI itself costs is not in these figures: the simulated one fills its
records, no more.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

TARGET_NS, TARGET_MB, TARGET_BYTES = 350, 16, 64
MODES = ("none", "count", "trace")
TURNS = 3


def run(mode, plugin, sim, program, launches):
    """Processor seconds, peak resident MB and capture bytes of one process."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LD_LIBRARY_PATH": sim}
        if mode != "none":
            environment |= {"CUDA_INJECTION64_PATH": plugin, "ROOFLINE_PLUGIN_OUT": folder, "ROOFLINE_PLUGIN_MODE": mode}
        child = subprocess.Popen([program, str(launches)], env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{program} ended with {child.returncode} in mode {mode}")
        size = sum(entry.stat().st_size for entry in os.scandir(folder))
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, size


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    plugin, sim, program = (os.path.abspath(path) for path in sys.argv[1:4])
    launches = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000_000
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seen = {mode: [] for mode in MODES}
    for turn in range(TURNS):
        for mode in MODES if turn % 2 == 0 else reversed(MODES):
            seen[mode].append(run(mode, plugin, sim, program, launches))
    seconds = {mode: statistics.median(row[0] for row in rows) for mode, rows in seen.items()}
    peak = {mode: max(row[1] for row in rows) for mode, rows in seen.items()}
    size = max(row[2] for row in seen["trace"]) / launches
    if size == 0:
        sys.exit("the plug-in captured nothing, so nothing was measured: are both simulated libraries in SIM_FOLDER?")
    added = (seconds["trace"] - seconds["count"]) / launches * 1e9
    memory = peak["trace"] - peak["count"]
    rows = (
        (f"tracing adds {added:.0f} ns of processor time a launch to {seconds['count'] / launches * 1e9:.0f} ns with a "
         f"counter alone ({seconds['none'] / launches * 1e9:.0f} ns bare): {seconds['trace'] / seconds['count']:.2f} times",
         added <= TARGET_NS, f"<= {TARGET_NS} ns"),
        (f"memory of {launches} launches: {peak['trace']:.1f} MB, counter alone {peak['count']:.1f} MB", memory <= TARGET_MB,
         f"<= {TARGET_MB} MB more"),
        (f"capture: {size:.1f} bytes a launch", size <= TARGET_BYTES, f"<= {TARGET_BYTES}"),
    )
    for text, holds, target in rows:
        print(f"{text}   target {target} {'ok' if holds else 'MISSED'}")
    return 0 if all(holds for _, holds, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

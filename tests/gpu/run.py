#!/usr/bin/env python3
"""What only hardware can show: the check list of docs/hardware-checks.md on one machine, in one call.

usage: run.py --roofline PROGRAM [--checks PROGRAM] [--only N,N] [--limit SECONDS] [--markdown]

Prints a line per check (expected, seen, ok / no / seen / not tried) and ends with 0 if none is "no", 1 if one is, 77
where there is no GPU. "seen" is a question that has no wrong answer: the line is to be read and written down.
Only Python's own library is needed. Test programs are built with nvcc and cc where they are found, or carried: `--checks`.
"""
import argparse
import ctypes
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
GIB = 1 << 30
BLOCKS, BLOCK, CHAIN = 1024, 256, 1024  # of programs/checks.cu
THREADS, WARPS = BLOCKS * BLOCK, BLOCKS * BLOCK // 32


class NotTried(Exception):
    """The reason stands in the table."""


class Machine:
    """Where the programs are, how long there is, and how to run them."""

    def __init__(self, args, folder):
        self.roofline, self.folder = os.path.abspath(args.roofline), pathlib.Path(folder)
        self.end = time.monotonic() + args.limit
        self.checks = os.path.abspath(args.checks) if args.checks else self.build_checks()

    def left(self):
        return self.end - time.monotonic()

    def build_checks(self):
        nvcc = shutil.which("nvcc") or next(iter(glob.glob("/usr/local/cuda*/bin/nvcc")), None)
        if not nvcc:
            return None
        target = self.folder / "checks"
        done = subprocess.run([nvcc, "-std=c++17", "-O2", "-cudart", "static", "-arch=native", "-o", target,
                               HERE / "programs/checks.cu"], capture_output=True, text=True)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
        return str(target) if done.returncode == 0 else None

    def program(self, *words):
        if not self.checks:
            raise NotTried("no nvcc here, and no program was carried (--checks)")
        return [self.checks, *map(str, words)]

    def run(self, command, timeout=90, environment=None, **more):
        if self.left() < 5:
            raise NotTried("no time left")
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace",
                              timeout=min(timeout, self.left()), env={**os.environ, **(environment or {})}, **more)

    def profile(self, program, *options, timeout=120, environment=None):
        """(result document or None, what was said on stderr, exit code, seconds)."""
        out = self.folder / f"run{time.monotonic_ns()}.json"
        start = time.monotonic()
        done = self.run([self.roofline, "profile", *options, "-o", out, "--", *program], timeout, environment)
        document = json.loads(out.read_text()) if out.exists() else None
        return document, done.stdout + done.stderr, done.returncode, time.monotonic() - start


def kernel(document, name):
    if document is None:
        raise AssertionError("no result was written")
    for entry in document.get("results", [document])[0].get("kernels", []):
        if entry.get("name", "").endswith(name):
            return entry
    raise AssertionError(f"no kernel {name} in the result")


def measured(document, name):
    return kernel(document, name).get("measured", {})


def lost(document):
    return {row["reason"]: row["count"] for row in document.get("coverage", {}).get("lost", [])}


def number(text, key):
    found = re.search(rf"{key} (-?[0-9.e+-]+)", text)
    return float(found.group(1)) if found else None


def near(seen, expected, share):
    return seen is not None and abs(seen - expected) <= share * expected


def build_probe(machine, name, *flags):
    cc = shutil.which("cc") or shutil.which("gcc")
    if not cc:
        raise NotTried("no C compiler")
    target = machine.folder / name
    subprocess.run([cc, "-shared", "-fPIC", *flags, "-o", target, HERE / "programs/probe.c"], check=True)
    return target


# ---------------------------------------------------------------- the checks, in the order of the list

def check_1(machine):
    """injection library called in cuInit; a missing or broken one, or return 0, does not stop the program"""
    mark = machine.folder / "probe.txt"
    rows = [("called", build_probe(machine, "probe.so"), {}), ("returns 0", machine.folder / "probe.so", {"PROBE_RETURN": "0"}),
            ("missing", machine.folder / "nowhere.so", {}),
            ("unresolved", build_probe(machine, "broken.so", "-DPROBE_UNRESOLVED", "-Wl,-z,now"), {})]
    seen = []
    for name, library, more in rows:
        mark.unlink(missing_ok=True)
        done = machine.run(machine.program("empty", 10), environment={"CUDA_INJECTION64_PATH": str(library), "PROBE_FILE": str(mark), **more})
        seen.append(f"{name}: exit {done.returncode}{', called' if mark.exists() else ''}")
    return seen[0] == "called: exit 0, called", "; ".join(seen)


def framework(machine, name, code):
    done = machine.run([sys.executable, "-c", f"import {name}"], 60)
    if done.returncode:
        raise NotTried(f"{name} is not installed")
    mark = machine.folder / f"{name}.txt"
    machine.run([sys.executable, "-c", code], 90, {"CUDA_INJECTION64_PATH": str(build_probe(machine, "probe.so")), "PROBE_FILE": str(mark)})
    return mark.exists()


FRAMEWORKS = {"torch": "import torch; (torch.ones(8, device='cuda') + 1).sum().item()",
              "jax": "import jax.numpy as j; j.ones(8).sum().block_until_ready()", "cupy": "import cupy; cupy.ones(8).sum()"}


def check_2(machine):
    """loaded by a program with the static CUDA runtime, by PyTorch, JAX and CuPy"""
    seen, good = [], True
    document, said, code, _ = machine.profile(machine.program("empty", 10))
    good = document is not None and code == 0
    seen.append(f"static runtime: {'yes' if good else said.strip()[-80:]}")
    for name, program in FRAMEWORKS.items():
        try:
            loaded = framework(machine, name, program)
            seen.append(f"{name}: {'yes' if loaded else 'no'}")
            good = good and loaded
        except NotTried as reason:
            seen.append(str(reason))
    return good, "; ".join(seen)


def check_3(machine):
    """which libcupti: the wheel's under PyTorch, the toolkit's under a bare program"""
    seen = []
    for name, program in (("bare", machine.program("empty", 10)), ("torch", [sys.executable, "-c", FRAMEWORKS["torch"]])):
        keep = machine.folder / f"keep-{name}"
        if name == "torch" and machine.run([sys.executable, "-c", "import torch"], 60).returncode:
            seen.append("torch is not installed")
            continue
        machine.profile(program, "--keep", str(keep))
        paths = set()
        for file in keep.glob("*.rlf"):
            paths |= set(re.findall(rb"/[\x21-\x7e]*libcupti[\x21-\x7e]*", file.read_bytes()))
        seen.append(f"{name}: {', '.join(sorted(p.decode() for p in paths)) or 'none'}")
    return None, "; ".join(seen)


def check_4(machine):
    """with torch.profiler in the program: who is refused, and what is said"""
    code = ("import torch\nfrom torch.profiler import profile\nwith profile() as p: (torch.ones(8, device='cuda') + 1).sum().item()\n"
            "print('events', len(p.events()))")
    if machine.run([sys.executable, "-c", "import torch"], 60).returncode:
        raise NotTried("torch is not installed")
    _, said, exit_code, _ = machine.profile([sys.executable, "-c", code])
    return None, f"exit {exit_code}: {' '.join(said.split())[-200:]}"


def check_6(machine):
    """replay passes of the core set: 2 on every chip since Turing"""
    document, _, _, _ = machine.profile(machine.program("in_place", 6), "--counters")
    passes = measured(document, "add_one").get("replay_passes")
    return passes == 2, f"{passes} passes"


EXPECTED_FLOPS = {  # per launch, by construction of programs/checks.cu
    "fma_fp32": ("vector:fp32", 2 * CHAIN * THREADS), "fma_fp64": ("vector:fp64", 2 * CHAIN * THREADS),
    "fma_half2": ("vector:fp16", 4 * CHAIN * THREADS), "fma_bf162": ("vector:bf16", 4 * CHAIN * THREADS),
    "mma_fp16": ("tensor:fp16", 2 * 16 * 16 * 16 * CHAIN * WARPS), "mma_bf16": ("tensor:bf16", 2 * 16 * 16 * 16 * CHAIN * WARPS),
    "mma_int8": ("tensor:int8", 2 * 16 * 16 * 16 * CHAIN * WARPS), "mma_tf32": ("tensor:tf32", 2 * 16 * 16 * 8 * CHAIN * WARPS),
    "mma_fp64": ("tensor:fp64", 2 * 8 * 8 * 4 * CHAIN * WARPS)}


def values(machine):
    if not hasattr(machine, "values"):
        machine.values = machine.profile(machine.program("values", 4 * GIB), "--counters", timeout=150)[0]
    return machine.values


def check_7(machine):
    """a copy of 4 GiB reads and writes 4 GiB (2 %); FLOPs of FMA chains exact (1e-3: ends of the loop); tensor products 2 M N K"""
    document = values(machine)
    copy = measured(document, "copy_kernel")
    bad, seen = [], []
    for key in ("dram_read_bytes", "dram_written_bytes"):
        value = copy.get(key)
        seen.append(f"{key} {value}")
        if not near(value, 4 * GIB, 0.02):
            bad.append(key)
    for name, (pipe, expected) in EXPECTED_FLOPS.items():
        pipes = measured(document, name).get("flops_by_pipe", {})
        value = pipes.get(pipe)
        if not near(value, expected, 1e-3):
            bad.append(name)
            seen.append(f"{name}: {pipes} instead of {pipe} {expected}")
    return not bad, ("wrong: " + ", ".join(bad) + "; " if bad else "") + "; ".join(seen)


def check_8(machine):
    """the device's own peaks (peak_sustained x clock) against the table"""
    counters = measured(values(machine), "copy_kernel").get("counters", {})
    peaks = {name: value for name, value in counters.items() if "peak_sustained" in name}
    if not peaks:
        raise NotTried("the result has no peaks")
    return None, "; ".join(f"{name} {value:.6g}" for name, value in sorted(peaks.items())[:6])


def check_9(machine):
    """cost of the SASS pass on tensor, elementwise and tiny kernels"""
    times = {}
    for name, options in (("none", ()), ("hardware pass", ("--counters-only", "--no-sass")), ("with SASS", ("--counters-only",))):
        times[name] = machine.profile(machine.program("values", GIB), *options)[3]
    return None, "; ".join(f"{name} {seconds:.1f} s" for name, seconds in times.items())


def check_10(machine):
    """cost of a counted launch with 1, 8, 64 GiB in use"""
    seen = []
    for gigabytes in (1, 8, 64):
        _, said, code, seconds = machine.profile(machine.program("ballast", gigabytes), "--counters-only")
        seen.append(f"{gigabytes} GiB: {seconds:.1f} s" if code == 0 else f"{gigabytes} GiB: exit {code}")
    return None, "; ".join(seen)


def check_11(machine):
    """replay of a kernel that updates in place leaves the right result"""
    done = machine.run([machine.roofline, "profile", "--counters-only", "--propagate-exit", "--", *machine.program("in_place", 6)])
    return "in_place right" in done.stdout + done.stderr, (re.search(r"in_place [^\n]*", done.stdout + done.stderr) or [said_tail(done)])[0]


def said_tail(done):
    return " ".join((done.stdout + done.stderr).split())[-160:]


def check_12(machine):
    """a graph under counters: node by node, or one range for the whole"""
    document, said, code, _ = machine.profile(machine.program("graph", 10, 5), "--counters-only")
    kernels = [] if document is None else [(k.get("name"), k.get("measured", {}).get("samples")) for k in document.get("kernels", [])]
    return None, f"exit {code}, kernels {kernels}, lost {lost(document or {})}"


def check_13(machine):
    """four threads and streams: as many ranges as launches"""
    document, _, code, _ = machine.profile(machine.program("threads", 4, 20), "--counters")
    losses = lost(document or {})
    return code == 0 and not losses, f"exit {code}, lost {losses}"


def check_14(machine):
    """cooperative launches are traced and counted"""
    document, _, code, _ = machine.profile(machine.program("cooperative", 6), "--counters")
    return code == 0 and kernel(document, "cooperative_kernel")["launches"] >= 6, f"exit {code}"


def check_15(machine):
    """a kernel named like NCCL's is not replayed, its neighbour is"""
    document, _, code, _ = machine.profile(machine.program("nccl_named"), "--counters")
    skipped = "replay_passes" not in measured(document, "ncclDevKernel_of_nobody")
    counted = "replay_passes" in measured(document, "empty_kernel")
    return code == 0 and skipped and counted, f"skipped {skipped}, neighbour counted {counted}"


def check_16(machine):
    """cost of tracing a launch: a million empty kernels with and without"""
    plain = number(machine.run(machine.program("empty", 1_000_000)).stdout, "seconds_per_launch")
    done = machine.run([machine.roofline, "profile", "-o", machine.folder / "million.json", "--", *machine.program("empty", 1_000_000)], 150)
    traced = number(done.stdout + done.stderr, "seconds_per_launch")
    return None, f"{1e6 * plain:.3f} us alone, {1e6 * traced:.3f} us traced" if plain and traced else said_tail(done)


def check_17(machine):
    """launches kept by each end of a program, of 100000; its own exit status is reported"""
    seen, good = [], True
    for how, least, status in (("return", 100_000, 0), ("term", 100_000, 143), ("_exit", 90_000, 0), ("kill", 90_000, 137), ("late_kill", 100_000, 137)):
        done_at = machine.folder / f"end-{how}.json"
        done = machine.run([machine.roofline, "profile", "--propagate-exit", "-o", done_at, "--", *machine.program("ends", how, 100_000)])
        count = sum(k.get("launches", 0) for k in json.loads(done_at.read_text()).get("kernels", [])) if done_at.exists() else 0
        seen.append(f"{how}: {count}, exit {done.returncode}")
        good = good and count >= least and done.returncode == status
    return good, "; ".join(seen)


def check_18(machine):
    """fork after cuInit: the child is harmless, the parent complete"""
    document, _, code, _ = machine.profile(machine.program("ends", "fork", 1000))
    count = kernel(document, "empty_kernel")["launches"]
    return code == 0 and count == 1000, f"exit {code}, {count} launches of 1000"


def check_19(machine):
    """3 million graph nodes: records without times, memory of the device that grows (30 million take too long here)"""
    return graph_nodes(machine, {})


def graph_nodes(machine, environment):
    document, said, code, seconds = machine.profile(machine.program("graph", 1000, 3000), timeout=180, environment=environment)
    grown = number(said, "device_memory_grown_bytes")
    return None, f"exit {code} after {seconds:.0f} s, lost {lost(document or {})}, device memory grown by {grown}"


def check_20(machine):
    """the same with a limit of 8 on CUPTI's device buffers"""
    return graph_nodes(machine, {"ROOFLINE_PLUGIN_POOL_LIMIT": "8"})


def check_21(machine):
    """as another user without capabilities: trace works, counters say RF3010 where they are reserved"""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise NotTried("needs root and setpriv")
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
    seen = []
    for options in ([], ["--counters-only"]):
        done = machine.run([*drop, machine.roofline, "profile", *options, "--", *machine.program("in_place", 6)])
        seen.append(f"{' '.join(options) or 'trace'}: exit {done.returncode}{', RF3010' if 'RF3010' in done.stdout + done.stderr else ''}")
    return None, "; ".join(seen)


def check_22(machine):
    """with nsys around: refused in one sentence"""
    done = machine.run([machine.roofline, "profile", "--", *machine.program("empty", 10)], environment={"CUDA_INJECTION64_PATH": "/opt/nsys/libToolsInjection64.so"})
    return done.returncode in (2, 3) and "CUDA_INJECTION64_PATH" in done.stderr, said_tail(done)


def check_23(machine):
    """times of short, middle and long kernels: trace against events (which add microseconds)"""
    done_at = machine.folder / "ladder.json"
    done = machine.run([machine.roofline, "profile", "-o", done_at, "--", *machine.program("ladder")])
    document = json.loads(done_at.read_text())
    seen, good = [], True
    for name in ("wait_1us", "spin_10k", "spin_1m"):
        traced, event = measured(document, name).get("time_s"), number(done.stdout + done.stderr, name)
        good = good and traced and event and traced <= event
        seen.append(f"{name}: trace {1e6 * (traced or 0):.2f} us, events {1e6 * (event or 0):.2f} us")
    return bool(good), "; ".join(seen)


def check_24(machine):
    """20 MB that fit in L2: few DRAM bytes from the second launch on"""
    document, _, _, _ = machine.profile(machine.program("resident", 20_000_000), "--counters")
    return None, f"DRAM read {measured(document, 'read_kernel').get('dram_read_bytes')} of 20000000 B asked for"


def check_26(machine):
    """tensor dtype told from the machine code of cuBLAS (through PyTorch): counted as bf16"""
    code = "import torch; a = torch.randn(4096, 4096, device='cuda', dtype=torch.bfloat16)\nfor _ in range(6): a @ a\ntorch.cuda.synchronize()"
    if machine.run([sys.executable, "-c", "import torch"], 60).returncode:
        raise NotTried("torch is not installed")
    document, _, _, _ = machine.profile([sys.executable, "-c", code], "--counters", timeout=180)
    counted = [k["measured"].get("flops_by_pipe", {}).get("tensor:bf16") for k in document.get("kernels", []) if k.get("measured")]
    best = max((c for c in counted if c), default=None)
    return near(best, 2 * 4096**3, 1e-3), f"tensor:bf16 {best} instead of {2 * 4096**3}"


def check_27(machine):
    """PM sampling beside a busy program: works, what it costs"""
    plain = number(machine.run(machine.program("busy", 3000)).stdout, "launches")
    done = machine.run([machine.roofline, "profile", "--sample", "--counters-only", "--", *machine.program("busy", 3000)])
    sampled = number(done.stdout + done.stderr, "launches")
    return None, f"exit {done.returncode}, {plain} launches alone, {sampled} sampled"


def check_28(machine):
    """ceilings with random data, within 40 to 102 % of the table, every kernel's output verified"""
    done = machine.run([machine.roofline, "calibrate", "--json", "--no-save"], 240)
    if not done.stdout:
        return False, said_tail(done)
    result = json.loads(done.stdout)
    shares = [f"{c['name']} {100 * c['of_datasheet']:.0f} %" for c in result["ceilings"] if "of_datasheet" in c]
    doubts = [f"{c['name']}: {c['reason']}" for c in result["ceilings"] if not c["trusted"]]
    missing = [f"{m['name']}: {m['reason']}" for m in result["missing"]]
    return not doubts and done.returncode == 0, "; ".join(doubts + missing + shares)


def check_29(machine):
    """roofline gpus detect maps this GPU to one entry, and says what differs"""
    done = machine.run([machine.roofline, "gpus", "detect", "--json"])
    gpus = json.loads(done.stdout)["gpus"] if done.returncode == 0 else []
    return all(g["fit"] == "exact" for g in gpus) and bool(gpus), "; ".join(
        f"{g['name']}: {g['fit']} {g['candidates'][:2]} differs {[d['fact'] for d in g['differs']]}" for g in gpus)


def check_30(machine):
    """roofline doctor: a test kernel runs, its copy is 40 to 102 % of the table"""
    done = machine.run([machine.roofline, "doctor", "--json"])
    findings = {f["subject"]: f for f in json.loads(done.stdout)["findings"]}
    test = findings.get("test_kernel")
    return bool(test) and test["mark"] == "ok", test["text"] if test else "no test kernel ran"


def check_31(machine):
    """roofline profile SPEC.yaml: compiled, launched, written, cold; DRAM bytes are the compulsory ones (5 %)"""
    out = machine.folder / "scale.json"
    done = machine.run([machine.roofline, "profile", "--counters", "-o", out, HERE.parent.parent / "examples/launch/scale.yaml"], 120)
    if not out.exists():
        return False, said_tail(done)
    result = measured(json.loads(out.read_text()), "scale")
    return done.returncode == 0 and near(result.get("dram_bytes"), 8 * 67108864, 0.05), f"exit {done.returncode}, DRAM {result.get('dram_bytes')} B, time {result.get('time_s')} s"


UNAUTOMATED = {
    5: ("trace and range profiler in one run: allowed?", "our plug-in never does both at once"),
    25: ("_realtime metrics equal their plain twins", "no option asks for single metrics; compare with ncu --metrics"),
}


def all_checks():
    functions = {int(name[6:]): function for name, function in globals().items() if re.fullmatch(r"check_\d+", name)}
    return {n: functions.get(n) for n in sorted(set(functions) | set(UNAUTOMATED))}


def outcome(machine, check):
    """(word, what was seen) of one check."""
    try:
        good, seen = check(machine)
        return ("seen" if good is None else "ok" if good else "no"), seen
    except NotTried as reason:
        return "not tried", str(reason)
    except subprocess.TimeoutExpired:
        return "no", "did not end in time"
    except (AssertionError, KeyError, ValueError, TypeError, OSError, subprocess.SubprocessError) as error:
        return "no", f"{type(error).__name__}: {error}"


def gpu_count():
    """By the driver itself: nothing of ours is trusted before it is checked."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--roofline", required=True)
    parser.add_argument("--checks", help="programs/checks.cu, built elsewhere")
    parser.add_argument("--only", help="numbers, as in 1,7,17")
    parser.add_argument("--limit", type=float, default=460, help="seconds for everything; default 460")
    parser.add_argument("--markdown", action="store_true", help="rows for docs/hardware-checks.md")
    args = parser.parse_args()
    # A child looks for the GPU: a process with a context of its own would disturb what is measured.
    found = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); import run; sys.exit(run.gpu_count())"])
    if found.returncode == 0:
        print("no GPU here: nothing was checked")
        return SKIPPED
    wanted = {int(n) for n in args.only.split(",")} if args.only else None
    words = []
    with tempfile.TemporaryDirectory(prefix="roofline-gpu-") as folder:
        machine = Machine(args, folder)
        for n, check in all_checks().items():
            if wanted and n not in wanted:
                continue
            title, reason = UNAUTOMATED.get(n, (None, None))
            start = time.monotonic()
            word, seen = ("not tried", reason) if check is None else outcome(machine, check)
            words.append(word)
            expected = title or check.__doc__
            if args.markdown:
                print(f"| {n} | {expected} | {word} | {seen} |", flush=True)
            else:
                print(f"{n:>3}  {word:<9}  {expected}\n{'':16}{seen}  [{time.monotonic() - start:.1f} s]", flush=True)
    print(", ".join(f"{words.count(w)} {w}" for w in ("ok", "no", "seen", "not tried")))
    return 1 if "no" in words else 0


if __name__ == "__main__":
    sys.exit(main())

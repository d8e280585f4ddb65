#!/usr/bin/env python3
"""One described kernel, doctor and gpus detect, on the simulated driver: what is said, and the exit code.

usage: launch_spec.py ROOFLINE SIM_FOLDER SOURCE_DIR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOFLINE, SIM, SOURCE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SCALE = SOURCE / "examples/launch/scale.yaml"
HAS_COMPILER = subprocess.run([sys.executable, "-c", "import ctypes, glob; [ctypes.CDLL(p) for p in "
                               "(glob.glob('/usr/local/cuda/lib64/libnvrtc.so.1*') or ['libnvrtc.so.13'])[:1]]"],
                              capture_output=True).returncode == 0

PTX = """.version 7.0
.target sm_52
.address_size 64
.visible .entry fill(.param .u64 out) { ret; }
"""
KERNEL = "  - {{name: fill, op: copy, kind: fill, shape: [1024], dtype: fp32, launch: {{{launch}}}}}\n"


def spec(launch):
    return "gpu: h100-sxm5-80gb\nkernels:\n" + KERNEL.format(launch=launch)


FILES = {
    "fill.ptx": PTX,
    "bad.cu": "extern \"C\" __global__ void fill(float* out) {\n  out[0] = undeclared;\n}\n",
    "ptx.yaml": spec("ptx: fill.ptx, entry: fill, grid: 4, block: 256, args: [dst], repeats: 5"),
    "warm.yaml": spec("ptx: fill.ptx, entry: fill, grid: 4, block: 256, args: [dst], repeats: 5, cold: false"),
    "bad.yaml": spec("source: bad.cu, entry: fill, grid: 4, block: 256, args: [dst]"),
    "entry.yaml": spec("source: bad.cu, entry: filll, grid: 4, block: 256, args: [dst]").replace("bad.cu", "good.cu"),
    "good.cu": "extern \"C\" __global__ void fill(float* out) { out[0] = 1; }\n",
    "absent.yaml": spec("source: nowhere.cu, entry: fill, grid: 4, block: 256, args: [dst]"),
    "none.yaml": "kernels: [{op: copy, kind: fill, shape: [1024], dtype: fp32}]\n",
    "two.yaml": "kernels:\n" + (KERNEL + KERNEL.replace("fill, op", "other, op")).format(launch="ptx: fill.ptx, entry: fill, grid: 1, block: 1"),
    "sweep.yaml": "params: {N: [1, 2]}\n" + spec("ptx: fill.ptx, entry: fill, grid: N, block: 1"),
}

REAL = {"SIMCUDA_NAME": "NVIDIA H100 80GB HBM3"}  # not called simulated: then an output that stays unwritten counts
# name, command, environment beside the simulated driver (None: no driver), exit code, what is said on stdout or stderr
ROWS = [
    ("ptx is launched and bound", ["profile", "ptx.yaml"], {}, 0, ["SIMULATED GPU: nothing was executed", "L2 flushed before each", "fill"]),
    ("warm launches flush nothing", ["profile", "warm.yaml"], {}, 0, ["L2 warm"]),
    ("one of two by its name", ["profile", "two.yaml#other"], {}, 0, ["other"]),
    ("an output that stays unwritten", ["profile", "ptx.yaml"], REAL, 4, ["RF5021", "fill did not write its output dst", "ptx.yaml:3"]),
    ("no memory", ["profile", "ptx.yaml"], {"SIMCUDA_FAIL": "cuMemAlloc=2"}, 3, ["RF3021", "CUDA_ERROR_OUT_OF_MEMORY"]),
    ("the driver does not start", ["profile", "ptx.yaml"], {"SIMCUDA_FAIL": "cuInit=802"}, 3, ["RF3001", "fabric manager"]),
    ("no driver", ["profile", "ptx.yaml"], None, 3, ["RF3001", "libcuda.so.1 not found"]),
    ("no launch in the file", ["profile", "none.yaml"], {}, 2, ["RF2004", "no kernel of this file has launch:"]),
    ("two kernels and no name", ["profile", "two.yaml"], {}, 2, ["RF2020", "fill, other"]),
    ("a name that is not there", ["profile", "two.yaml#third"], {}, 2, ["RF2010", "third"]),
    ("a sweep is many sizes", ["profile", "sweep.yaml"], {}, 2, ["RF2020", "2 points"]),
    ("the code is not there", ["profile", "absent.yaml"], {}, 2, ["RF2001", "nowhere.cu"]),
    ("--spec beside a description", ["profile", "--spec", "ptx.yaml", "ptx.yaml"], {}, 2, ["exclude each other"]),
    ("the child is for roofline itself", ["launch-kernel"], {}, 2, ["roofline profile SPEC.yaml"]),
    ("detect", ["gpus", "detect"], {}, 0, ["SIMULATED", "h100-sxm5-80gb"]),
    ("detect by facts, not by name", ["gpus", "detect"], {"SIMCUDA_NAME": "NVIDIA H100 80GB HBM3", "SIMCUDA_ATTRIBUTES": "16=100"}, 0,
     ["not in the table", "SMs: 100 here"]),
    ("detect without a driver", ["gpus", "detect"], None, 3, ["RF3001", "analyze, model"]),
    ("doctor", ["doctor"], {}, 0, ["driver", "CUDA 13.0", "a test kernel: launch", "SIMULATED"]),
    ("doctor without a driver", ["doctor", "--require", "profile"], None, 3, ["Profiling does not work here"]),
    ("doctor, driver refuses", ["doctor"], {"SIMCUDA_FAIL": "cuInit=803"}, 0, ["803", "reboot"]),
    ("doctor, kernels fail", ["doctor", "--require", "profile"], {"SIMCUDA_FAIL": "cuLaunchKernel=719"}, 3, ["a test kernel does not run"]),
]
COMPILED = [
    ("a template is compiled, launched and held against its floor", ["profile", str(SCALE)], {}, 0, ["scale", "160.3 us"]),
    ("a compile error has its place", ["profile", "bad.yaml"], {}, 2, ["RF2031", "bad.cu:2", "undeclared"]),
    ("an entry that is not there", ["profile", "entry.yaml"], {}, 2, ["filll"]),
]


def run(folder, command, environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SIM", "CUDA_INJECTION", "NVTX_INJECTION"))}
    if environment is not None:
        clean.update({"LD_LIBRARY_PATH": SIM, **environment})
    return subprocess.run([ROOFLINE, *command], cwd=folder, env=clean, capture_output=True, text=True, timeout=120)


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_text(text)
        rows = ROWS + (COMPILED if HAS_COMPILER else [])
        if not HAS_COMPILER:
            print(f"SKIPPED: {len(COMPILED)} rows need libnvrtc, which is not here")
        for name, command, environment, code, words in rows:
            done = run(folder, command, environment)
            said = done.stdout + done.stderr
            missing = [w for w in words if w not in said]
            if done.returncode != code or missing:
                bad += 1
                print(f"FAILED {name}: exit {done.returncode} instead of {code}, missing {missing}\n{said}\n")
        done = run(folder, ["profile", "ptx.yaml", "-o", "run.json"], {})
        result = json.loads(pathlib.Path(folder, "run.json").read_text())
        kernels = [k["name"] for k in result["kernels"]]
        if not result.get("simulated") or kernels != ["fill"] or result["kernels"][0]["launches"] != 8:
            bad += 1
            print(f"FAILED the result: simulated {result.get('simulated')}, kernels {kernels}, {done.stderr}")
    print(f"{len(rows) + 1 - bad} of {len(rows) + 1} as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

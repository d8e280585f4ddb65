#!/usr/bin/env python3
"""One described kernel, doctor and gpus detect on the simulated driver: what is said, where, and the exit code.

usage: simulated_launches.py ROOFLINE SIM_FOLDER SOURCE_DIR

Kernels are PTX; sources are compiled by the real NVRTC, where a toolkit is there, else those tests are skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOFLINE, SIM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()

PTX = """.version 7.0
.target sm_52
.address_size 64
.visible .entry fill(.param .u64 out, .param .u32 n) { ret; }
"""


def spec(launch, name="fill", head="", more=""):
    return f"{head}kernels:\n  - name: {name}\n    op: copy\n    kind: fill\n    shape: [1024]\n    dtype: fp32\n    launch: {{{launch}}}\n{more}"


SOURCE_CODE = """template <class T> __global__ void fill(T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = T(VALUE);
}
"""
COMPILED = 'source: fill.cu, entry: "fill<float>", options: ["-DVALUE=2"], grid: 4, block: 256, args: [dst, 1024], repeats: 5'
GOOD = "ptx: fill.ptx, entry: fill, grid: 4, block: 256, args: [dst, 1024], repeats: 5"
FILES = {
    "fill.ptx": PTX,
    "fill.cu": SOURCE_CODE,
    "source.yaml": spec(COMPILED),
    "broken.yaml": spec(COMPILED.replace("-DVALUE=2", "-DVALUES=2")),
    "unnamed.yaml": spec(COMPILED.replace("fill<float>", "full<float>")),
    "ptx.yaml": spec(GOOD),
    "named.yaml": spec(GOOD, head="gpu: h100\n"),
    "wrong.yaml": spec(GOOD, head="gpu: h200-sxm-141gb\n"),
    "warm.yaml": spec(GOOD + ", cold: false"),
    "many.yaml": spec(GOOD.replace("repeats: 5", "repeats: 7, warmups: 10")),
    "absent.yaml": spec(GOOD.replace("fill.ptx", "nowhere.ptx")),
    "entry.yaml": spec(GOOD.replace("entry: fill", "entry: filll")),
    "few.yaml": spec(GOOD.replace("[dst, 1024]", "[dst]")),
    "wide.yaml": spec(GOOD.replace("1024]", "{i64: 1024}]")),
    "tensor.yaml": spec(GOOD.replace("[dst,", "[dest,")),
    "grid.yaml": spec(GOOD.replace("grid: 4", "grid: [1, 65536]")),
    "block.yaml": spec(GOOD.replace("block: 256", "block: [64, 64]")),
    "nogrid.yaml": spec(GOOD.replace("grid: 4, ", "")),
    "folder.yaml": spec(GOOD.replace("fill.ptx", ".")),
    "none.yaml": "kernels: [{op: copy, kind: fill, shape: [1024], dtype: fp32}]\n",
    "two.yaml": spec(GOOD, more=spec(GOOD, "other").replace("kernels:\n", "")),
    "gpus.yaml": spec(GOOD, head="gpu: [h100-sxm5-80gb, h200-sxm]\n"),
    "sweep.yaml": spec(GOOD, head="params: {N: [1, 2]}\n").replace("grid: 4", "grid: N"),
}
REAL = {"SIMCUDA_NAME": "NVIDIA H100 80GB HBM3"}  # not called simulated: then an output that stays unwritten counts
H100 = ["--gpu", "h100"]
FAILS = lambda call, status: {"SIMCUDA_FAIL": f"{call}={status}"}

# name: command, environment beside the simulated driver (None: no driver), exit code, what is said on stdout or stderr
ROWS = {
    "ptx is launched and bound": (["profile", "ptx.yaml", *H100], {}, 0, ["SIMULATED GPU: nothing was executed", "L2 flushed before each", "fill"]),
    "the GPU that the description names, of those that fit": (["profile", "named.yaml"], {}, 0, ["NVIDIA H100 SXM5 80GB", "taken for h100-sxm5-80gb, which the description names"]),
    "it names another": (["profile", "wrong.yaml"], {}, 3, ["RF3003", "fits several GPUs of the table", "--gpu"]),
    "warm launches flush nothing": (["profile", "warm.yaml", *H100], {}, 0, ["L2 warm"]),
    "one of two by its name": (["profile", "two.yaml#other", *H100], {}, 0, ["two.yaml#other"]),
    "an output that stays unwritten": (["profile", "ptx.yaml"], REAL, 4, ["RF5021", "fill did not write its output dst", "ptx.yaml:2", "is this the kernel"]),
    "the code is not there": (["profile", "absent.yaml"], {}, 2, ["RF2001", "nowhere.ptx"]),
    "the code is a folder": (["profile", "folder.yaml"], {}, 2, ["RF2001"]),
    "an entry that is not there": (["profile", "entry.yaml"], {}, 3, ["RF3021", "looking for the function \"filll\"", "entry.yaml:2:"]),
    "too few arguments": (["profile", "few.yaml"], {}, 2, ["RF2013", "fill takes 2 arguments, and args has 1", "few.yaml:2:", "in the order"]),
    "an argument of another size": (["profile", "wide.yaml"], {}, 2, ["RF2013", "parameter 2 of fill has 4 bytes", "(i64) has 8", "wide.yaml:2:"]),
    "a tensor that is not there": (["profile", "tensor.yaml"], {}, 2, ["RF2010", "\"dest\"", "tensor.yaml:7:", "did you mean \"dst\""]),
    "a grid that no GPU takes": (["profile", "grid.yaml"], {}, 2, ["RF2008", "65536 blocks", "grid.yaml:7:"]),
    "a block of too many threads": (["profile", "block.yaml"], {}, 2, ["RF2008", "4096 threads", "block.yaml:7:"]),
    "no grid": (["profile", "nogrid.yaml"], {}, 2, ["RF2004", "\"grid\"", "nogrid.yaml:7:"]),
    "no launch in the file": (["profile", "none.yaml"], {}, 2, ["RF2004", "no kernel of this file has launch:"]),
    "two kernels and no name": (["profile", "two.yaml"], {}, 2, ["RF2020", "fill and other", "two.yaml#fill"]),
    "a name that is not there": (["profile", "two.yaml#third"], {}, 2, ["RF2010", "third", "fill and other"]),
    "a sweep is many sizes": (["profile", "sweep.yaml"], {}, 2, ["RF2020", "2 points"]),
    "two GPUs on the command line": (["profile", "ptx.yaml", "--gpu", "h100,h200"], {}, 2, ["RF2020", "one GPU", "give one --gpu"]),
    "--spec beside a description": (["profile", "--spec", "ptx.yaml", "ptx.yaml"], {}, 2, ["exclude each other"]),
    "the child is for roofline itself": (["launch-kernel"], {}, 2, ["roofline profile SPEC.yaml"]),
    "no memory": (["profile", "ptx.yaml"], FAILS("cuMemAlloc", 2), 3, ["RF3021", "CUDA_ERROR_OUT_OF_MEMORY"]),
    "a kernel that traps while it warms up": (["profile", "ptx.yaml"], FAILS("cuCtxSynchronize", 719), 3, ["RF3021", "CUDA_ERROR_LAUNCH_FAILED (719)", "the first launches"]),
    "a kernel that writes elsewhere": (["profile", "ptx.yaml"], FAILS("cuEventSynchronize", 700), 3, ["RF3021", "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "waiting for the kernel"]),
    "the driver does not start": (["profile", "ptx.yaml"], FAILS("cuInit", 802), 3, ["RF3001", "fabric manager"]),
    "no driver": (["profile", "ptx.yaml"], None, 3, ["RF3001", "libcuda.so.1 not found"]),
    "detect": (["gpus", "detect"], {}, 0, ["SIMULATED", "h100-sxm5-80gb"]),
    "detect two": (["gpus", "detect"], {"SIMCUDA_DEVICES": "2"}, 0, ["GPU 0", "GPU 1"]),
    "detect by facts, not by name": (["gpus", "detect"], {**REAL, "SIMCUDA_ATTRIBUTES": "16=100"}, 0, ["not in the table", "SMs: 100 here"]),
    "detect without a driver": (["gpus", "detect"], None, 3, ["RF3001", "analyze, model"]),
    "doctor": (["doctor"], {}, 0, ["driver", "CUDA 13.0", "a test kernel: launch", "SIMULATED"]),
    "doctor without a driver": (["doctor", "--require", "profile"], None, 3, ["Profiling does not work here"]),
    "doctor, driver refuses": (["doctor"], FAILS("cuInit", 803), 0, ["CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"]),
    "doctor, kernels fail": (["doctor", "--require", "profile"], FAILS("cuLaunchKernel", 719), 3, ["a test kernel does not run"]),
}


def run(folder, command, variables):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SIM", "CUDA_", "NVTX_", "ROOFLINE_"))}
    clean.update({"XDG_CONFIG_HOME": "/nonexistent"})
    clean.pop("LD_LIBRARY_PATH", None)
    if variables is not None:
        clean.update({"LD_LIBRARY_PATH": SIM, **variables})
    return subprocess.run([ROOFLINE, *command], cwd=folder, env=clean, capture_output=True, text=True, timeout=120, check=False)


class WithFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        for name, text in FILES.items():
            pathlib.Path(self.folder.name, name).write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def result(self, command, variables=None):
        path = pathlib.Path(self.folder.name, "run.json")
        done = run(self.folder.name, [*command, "-o", "run.json"], variables or {})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(path.read_text())


class WhatIsSaid(WithFiles):
    def test_every_row(self):
        for name, (command, variables, code, words) in ROWS.items():
            with self.subTest(name):
                done = run(self.folder.name, command, variables)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, code, said)
                for word in words:
                    self.assertIn(word, said)


class Compiled(WithFiles):
    """`launch: {source: ...}`: the image that the stand-in loads is the one that the real NVRTC made."""
    ROWS = [
        ("source.yaml", {}, 0, ["SIMULATED GPU: nothing was executed", "fill"]),
        ("broken.yaml", {}, 2, ["RF2031", 'the kernel does not compile: identifier "VALUE" is undefined', "fill.cu:3", "log of NVRTC"]),
        ("unnamed.yaml", {}, 2, ["RF2010", 'no __global__ function "full<float>" in this source', "fill.cu"]),
        # 10.7 is not known to any: PTX of the newest below it.
        ("source.yaml", {"SIMCUDA_ATTRIBUTES": "75=10,76=7"}, 0, ["fill"]),
    ]

    def test_every_row(self):
        for file, variables, code, words in self.ROWS:
            with self.subTest(file, variables=variables):
                done = run(self.folder.name, ["profile", file, *H100], variables)
                said = done.stdout + done.stderr
                if "RF3022" in said:
                    self.skipTest("SKIPPED: no NVRTC: no source was compiled")
                self.assertEqual(done.returncode, code, said)
                for word in words:
                    self.assertIn(word, said)

    def test_the_template_is_the_one_that_was_named(self):
        done = run(self.folder.name, ["profile", "source.yaml", *H100, "--json"], {})
        if "RF3022" in done.stderr:
            self.skipTest("SKIPPED: no NVRTC: no source was compiled")
        kernel = json.loads(done.stdout)["kernels"][0]
        self.assertEqual((kernel["full_name"], kernel["grid"], kernel["block"]), ("void fill<float>(float*, int)", [4, 1, 1], [256, 1, 1]))
        self.assertEqual(kernel["launches"], 5)

    def test_a_driver_older_than_every_compiler(self):
        done = run(self.folder.name, ["profile", "source.yaml", *H100], {"SIMCUDA_DRIVER_VERSION": "10020"})
        self.assertEqual(done.returncode, 3, done.stderr)
        for word in ("RF3022", "the runtime compiler of CUDA was not found", "write ptx: or cubin: instead of source:"):
            self.assertIn(word, done.stderr)


class WhatCounts(WithFiles):
    # A kernel takes 5 us, one of each two of the described kernel 1 us more; what surrounds it takes other times.
    TIMES = {"SIMCUDA_KERNEL_NS": "fill=5000,roofline_internal_flush_l2=70000"}

    def test_launches_to_warm_up_do_not(self):
        for file, launches in (("ptx.yaml", 5), ("warm.yaml", 5), ("many.yaml", 7)):
            with self.subTest(file):
                result = self.result(["profile", file, *H100], self.TIMES)
                self.assertTrue(result["simulated"])
                self.assertEqual([k["name"] for k in result["kernels"]], ["fill"])
                kernel = result["kernels"][0]
                self.assertEqual(kernel["launches"], launches)
                self.assertEqual(kernel["measured"]["runs"][0]["launches"], launches)
                self.assertAlmostEqual(kernel["measured"]["time_s"], 5e-6)
                self.assertEqual(result["totals"]["launches"], launches)
                self.assertAlmostEqual(result["totals"]["time_s"], launches * 5e-6)

    def test_nor_does_what_flushes_the_cache(self):
        result = self.result(["profile", "ptx.yaml", *H100], self.TIMES)
        self.assertNotIn("run", result)  # no sequence: what lies between the launches is ours
        self.assertNotIn("sequence", result)
        self.assertEqual(result["coverage"]["lost"], [])
        self.assertTrue(result["complete"])

    def test_kept_captures_say_the_same(self):
        first = self.result(["profile", "ptx.yaml", *H100, "--keep", "kept"], self.TIMES)
        done = run(self.folder.name, ["analyze", "kept", "--spec", "ptx.yaml", *H100, "--json"], None)
        again = json.loads(done.stdout)
        self.assertEqual(again["kernels"], first["kernels"])

    def test_counters_look_at_cold_launches_alone(self):
        kept = pathlib.Path(self.folder.name, "kept")
        self.result(["profile", "many.yaml", *H100, "--counters-only", "--keep", "kept"], {**self.TIMES, "SIMCUPTI_COUNTERS": os.devnull})
        done = run(self.folder.name, ["import", "--format", "jsonl", *map(str, kept.glob("*.rlf"))], None)
        counted = [row["occurrence"] for row in map(json.loads, done.stdout.splitlines()) if "occurrence" in row]
        self.assertEqual(counted, [10, 11, 12], done.stdout[:500] + done.stderr)  # from 0, behind ten to warm up


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

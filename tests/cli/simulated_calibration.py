#!/usr/bin/env python3
"""`roofline calibrate` on the simulated driver, and what `--ceilings calibrated` makes of it.

usage: simulated_calibration.py ROOFLINE SIM_FOLDER SOURCE_DIR

The simulated GPU executes nothing, and each of its kernels takes the time that it was told to: expected rates are the
work of a launch, counted by hand below, over that time.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOFLINE, SIM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
GPU = "h100-sxm5-80gb"
SMS = 132
# Not called simulated: outputs are verified then. Its kernels are slow, so that a second of them is soon over.
REAL = {"SIMCUDA_NAME": "NVIDIA H100 80GB HBM3", "SIMCUDA_KERNEL_NS": "roofline_internal_launch_stream=5000,roofline_internal_launch_graph=5000,100000000"}

# Work of a launch: so many threads on an SM; what each does in an iteration, as src/profile/calibrate says.
WORK = {
    "vector_fp32": SMS * 2048 * 16 * 8 * 2 * 4096,  # chains, steps, 2 FLOP, iterations
    "vector_fp64": SMS * 2048 * 8 * 8 * 2 * 1024,
    "vector_fp16": SMS * 2048 * 16 * 8 * 4 * 4096,  # packed: 4 FLOP
    "sfu": SMS * 2048 * 8 * 8 * 1024,
    "shared_read": SMS * 2048 * 8 * 16 * 4096,  # 8 reads of 16 bytes
    "mma_bf16": 2 * SMS * 8 * 2 * 4 * 2 * 16 * 8 * 16 * 32768,  # 8 warps, 2 x 4 products of m16n8k16
    "wgmma_fp8": 2 * SMS * 4 * 2 * 64 * 256 * 32 * 8192,  # 4 products of m64n256k32
}
# What the data sheet and the table state, in base units (specs/gpus, by hand where derived).
SHEET = {
    "vector_fp32": 66.9e12, "vector_fp64": 33.5e12, "vector_fp16": 133.8e12,
    "sfu": SMS * 16 * 1830e6, "shared_read": SMS * 128 * 1980e6,
    "mma_bf16": 2 / 3 * 989.4e12, "wgmma_fp8": 1978.9e12,
}


def run(*words, sim=True, config="/nonexistent", **more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ROOFLINE_", "SIMCU", "CUDA_", "NVTX_"))}
    clean.pop("LD_LIBRARY_PATH", None)
    if sim:
        clean["LD_LIBRARY_PATH"] = SIM
    return subprocess.run([ROOFLINE, *words], env={**clean, "XDG_CONFIG_HOME": config, **more}, capture_output=True, text=True,
                          timeout=300, check=False)


def kernel_times(share):
    """SIMCUDA_KERNEL_NS at which every kernel of WORK reaches `share` of its sheet."""
    return ",".join(f"roofline_internal_{name}={round(1e9 * work / (share * SHEET[name]))}" for name, work in WORK.items())


def calibrate(*words, **more):
    done = run("calibrate", "--json", "--gpu", GPU, *words, **more)
    return done, json.loads(done.stdout) if done.stdout else None


class Rates(unittest.TestCase):
    def check(self, share, code, trusted, word):
        done, result = calibrate("--quick", "--only", ",".join(WORK), SIMCUDA_KERNEL_NS=kernel_times(share))
        self.assertEqual(done.returncode, code, done.stderr)
        rows = {row["name"]: row for row in result["ceilings"]}
        self.assertEqual(set(rows), set(WORK))
        for name, row in rows.items():
            with self.subTest(name):
                self.assertAlmostEqual(row["datasheet"] / SHEET[name], 1, places=3)
                self.assertAlmostEqual(row["of_datasheet"] / share, 1, delta=0.01)  # events add microseconds of milliseconds
                self.assertEqual(row["trusted"], trusted)
                self.assertIn(word, row.get("reason", ""))
                self.assertEqual(row["samples"], 40)
        self.assertTrue(result["simulated"])

    def test_plausible_ones_are_believed(self):
        self.check(0.8, 0, True, "")

    def test_above_the_data_sheet_is_said_and_not_believed(self):
        self.check(1.5, 1, False, "above the data sheet (1")

    def test_far_below_is_not_believed(self):
        self.check(0.2, 1, False, "% of the data sheet")


class DataCentreBlackwell(unittest.TestCase):
    """A B200 of 148 SMs: blocks of an SM, iterations, 4 products of m128n256 in each."""
    ATTRIBUTES = {"b200": "75=10,76=0,16=148", "b300": "75=10,76=3,16=148"}
    WORK = {"tcgen05_bf16": 148 * 2 * 8192 * 4 * 2 * 128 * 256 * 16, "tcgen05_fp8": 148 * 2 * 8192 * 4 * 2 * 128 * 256 * 32,
            "tcgen05_fp4": 148 * 1 * 8192 * 4 * 2 * 128 * 256 * 64, "tcgen05_int8": 148 * 2 * 8192 * 4 * 2 * 128 * 256 * 32}
    SHEET = {"tcgen05_bf16": 2250e12, "tcgen05_fp8": 4500e12, "tcgen05_fp4": 9000e12, "tcgen05_int8": 4500e12}

    def test_rates_are_work_over_time(self):
        times = ",".join(f"roofline_internal_{name}={round(1e9 * work / (0.75 * self.SHEET[name]))}" for name, work in self.WORK.items())
        done = run("calibrate", "--json", "--gpu", "b200", "--quick", "--only", ",".join(self.WORK), SIMCUDA_ATTRIBUTES=self.ATTRIBUTES["b200"],
                   SIMCUDA_KERNEL_NS=times)
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in json.loads(done.stdout)["ceilings"]:
            with self.subTest(row["name"]):
                self.assertEqual(row["datasheet"], self.SHEET[row["name"]])
                self.assertAlmostEqual(row["of_datasheet"], 0.75, delta=0.01)
                self.assertNotIn("mma_sync", row)

    def test_what_no_kernel_reaches_is_said(self):
        for gpu, missing in (("b200", []), ("b300", ["tensor:fp4", "tensor:int8"])):
            done = run("calibrate", "--json", "--gpu", gpu, "--quick", "--no-save", SIMCUDA_ATTRIBUTES=self.ATTRIBUTES[gpu])
            self.assertEqual([row["name"] for row in json.loads(done.stdout)["missing"]], missing)


class WithoutAnswer(unittest.TestCase):
    ROWS = [
        # options, simulated driver, variables, exit code, words
        ([], False, {}, 3, ["RF3001", "libcuda.so.1 not found"]),
        ([], True, {"SIMCUDA_FAIL": "cuInit=802"}, 3, ["RF3001", "fabric manager"]),
        (["--device", "3"], True, {}, 3, ["there is no GPU 3", "roofline gpus detect"]),
        (["--device", "first"], True, {}, 2, ["--device takes the number of a GPU"]),
        (["--only", "dram_cpy"], True, {}, 2, ["no ceiling \"dram_cpy\"", "dram_copy"]),
        (["--only", "mma_fp8"], True, {}, 2, ["mma_fp8 is not for this GPU (sm_90)"]),
        (["--gpu", "h1000"], True, {}, 2, ["no GPU \"h1000\""]),
    ]

    def test_each_has_its_sentence_and_code(self):
        for options, sim, variables, code, words in self.ROWS:
            with self.subTest(options=options, variables=variables):
                done = run("calibrate", *options, sim=sim, **variables)
                self.assertEqual(done.returncode, code, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_a_kernel_that_fails_costs_its_own_figure(self):
        done, result = calibrate("--quick", "--only", "dram_read,launch_stream,copy_to_host", SIMCUDA_FAIL="cuLaunchKernel=719")
        self.assertEqual(done.returncode, 1)
        self.assertEqual([row["name"] for row in result["ceilings"]], ["copy_to_host"])
        self.assertEqual([row["name"] for row in result["missing"]], ["dram_read", "launch_stream"])
        self.assertIn("CUDA_ERROR_LAUNCH_FAILED (719)", result["missing"][0]["reason"])

    def test_no_memory(self):
        done, result = calibrate("--quick", "--only", "dram_read", SIMCUDA_FAIL="cuMemAlloc=2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", result["missing"][0]["reason"])

    def test_an_entry_that_is_not_sure_is_not_guessed(self):
        done = run("calibrate", "--quick", "--only", "launch_stream")  # its facts are also those of H800
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing to hold its figures against", done.stdout)


class Kept(unittest.TestCase):
    def test_wrong_outputs_are_kept_as_not_believed_and_others_are_used(self):
        with tempfile.TemporaryDirectory() as config:
            done, result = calibrate(config=config, **REAL)
            self.assertEqual(done.returncode, 1, done.stderr)
            path = pathlib.Path(config, "roofline/calibrated", GPU + ".json")
            self.assertEqual(json.loads(path.read_text()), result)
            trusted = {row["name"] for row in result["ceilings"] if row["trusted"]}
            self.assertEqual(trusted, {"launch_stream", "launch_graph", "copy_to_device", "copy_to_host"})
            for row in result["ceilings"]:
                if row["name"].startswith(("dram", "vector", "mma", "wgmma")):
                    self.assertRegex(row["reason"], "instead of")  # nothing was executed, so nothing is right

    def test_nothing_is_kept_of(self):
        for options, variables, words in [([], {}, "not saved: simulated"), (["--quick"], REAL, "not saved: short bursts"),
                                          (["--only", "launch_stream"], REAL, "not saved: --only"), (["--no-save"], REAL, "")]:
            with self.subTest(options=options), tempfile.TemporaryDirectory() as config:
                done = run("calibrate", "--gpu", GPU, *options, config=config, **variables)
                self.assertIn(words, done.stdout)
                self.assertEqual(os.listdir(config), [])

    def test_a_folder_that_cannot_be_made(self):
        done, _ = calibrate(config="/proc/nowhere", **REAL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("RF2018", done.stderr)


class Used(unittest.TestCase):
    """An attainable time is the bytes over the calibrated bandwidth and one launch floor (docs/model.md, section 8)."""
    SPEC = "kernels: [{name: copy, op: copy, shape: [2000000000], dtype: fp16}]\n"  # reads and writes 4 GB each

    def ceiling(self, name, resource, value, unit, trusted=True):
        return {"name": name, "resource": resource, "kind": "calibrated", "value": value, "unit": unit, "samples": 40, "spread": 0.01,
                "rounds_differ": 0.001, "trusted": trusted}

    def analyze(self, ceilings, *options):
        with tempfile.TemporaryDirectory() as config:
            folder = pathlib.Path(config, "roofline/calibrated")
            folder.mkdir(parents=True)
            document = {"schema": "roofline.calibration/1", "gpu": GPU, "date": "2026-01-01", "device": {"name": "GPU"}, "sustained": True,
                        "ceilings": ceilings, "missing": []}
            if ceilings is not None:
                (folder / (GPU + ".json")).write_text(json.dumps(document))
            spec = pathlib.Path(config, "copy.yaml")
            spec.write_text(self.SPEC)
            done = run("analyze", str(spec), "--gpu", GPU, "--json", *options, sim=False, config=config)
            return done, json.loads(done.stdout)["kernels"][0] if done.returncode == 0 else None

    def test_attainable_times_follow_it_and_floors_do_not(self):
        measured = [self.ceiling("dram_copy", "dram", 3.0e12, "B/s"), self.ceiling("launch_stream", "launch:stream", 4e-6, "s")]
        done, kernel = self.analyze(measured, "--ceilings", "calibrated")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(kernel["time_floor_s"], 8e9 / 3.35e12, places=9)
        self.assertAlmostEqual(kernel["attainable_time_s"], 8e9 / 3.0e12 + 4e-6, places=9)

    def test_a_result_says_that_it_used_one(self):
        measured = [self.ceiling("dram_copy", "dram", 3.0e12, "B/s")]
        kinds = {}
        for options in ([], ["--ceilings", "calibrated"]):
            done, _ = self.analyze(measured, *options)
            kinds[len(options)] = [(c["kind"], c["value"]) for c in json.loads(done.stdout)["gpu"]["ceilings"] if c["resource"] == "dram"]
        self.assertEqual(kinds, {0: [("datasheet", 3.35e12)], 2: [("datasheet", 3.35e12), ("calibrated", 3.0e12)]})

    def hold_to_schema(self, result):
        try:
            import jsonschema
        except ImportError:
            print("SKIPPED: jsonschema is not installed", file=sys.stderr)
            return
        jsonschema.validate(result, json.loads(run("schema", "result").stdout))

    MEASURED = [("dram_copy", "dram", 3.0e12, "B/s"), ("l2_read", "l2", 5.5e12, "B/s"), ("vector_fp32", "vector:fp32", 60e12, "FLOP/s")]

    def test_it_is_told_in_every_output(self):
        """60 TFLOP/s are 90 % of 66.9, 3.0 TB/s are 90 % of 3.35."""
        with tempfile.TemporaryDirectory() as config:
            folder = pathlib.Path(config, "roofline/calibrated")
            folder.mkdir(parents=True)
            document = {"schema": "roofline.calibration/1", "gpu": GPU, "date": "2026-01-02", "device": {"name": "GPU", "driver": "580.65"},
                        "sustained": True, "ceilings": [self.ceiling(*row) for row in self.MEASURED], "missing": []}
            (folder / (GPU + ".json")).write_text(json.dumps(document))
            spec = pathlib.Path(config, "norm.yaml")
            spec.write_text("kernels: [{name: norm, op: rmsnorm, rows: 8192, cols: 8192, dtype: fp32}]\n")
            used = ["analyze", str(spec), "--gpu", GPU, "--ceilings", "calibrated"]
            page = run(*used, sim=False, config=config).stdout
            for words in ("floors of datasheet ceilings; attainable times of calibrated ones; 1 FMA = 2 FLOP",
                          "calibrated: DRAM 3 TB/s (90 %) and FP32 vector 60 TFLOP/s (90 %)", "measured 2026-01-02 on GPU, driver 580.65"):
                self.assertIn(words, page)
            plain = run(*used[:-2], sim=False, config=config).stdout
            self.assertIn("  datasheet ceilings; 1 FMA = 2 FLOP\n", plain)
            self.assertNotIn("calibrated", plain)
            result = json.loads(run(*used, "--json", sim=False, config=config).stdout)
            self.assertEqual(result["gpu"]["calibration"], {"date": "2026-01-02", "device": "GPU", "driver": "580.65", "sustained": True})
            self.assertEqual([(c["resource"], c["value"], c["unit"]) for c in result["gpu"]["ceilings"] if c["kind"] == "calibrated"],
                             [row[1:] for row in self.MEASURED])
            self.hold_to_schema(result)
            picture = pathlib.Path(config, "picture.svg")
            run(*used, "--report", f"svg={picture}", sim=False, config=config)
            saved = pathlib.Path(config, "result.json")
            saved.write_text(json.dumps(result))
            again = run("report", str(saved), "--format", "svg", sim=False, config=config).stdout
            for svg in (picture.read_text(), again):
                for words in ("DRAM 3 TB/s (calibrated)", "FP32 vector 60 TFLOP/s (calibrated)", 'stroke-dasharray="7 4"',
                              "calibrated: measured 2026-01-02 on GPU, driver 580.65"):
                    self.assertIn(words, svg)
            shown = run("gpus", "show", GPU, sim=False, config=config).stdout
            self.assertIn("Calibrated: measured 2026-01-02 on GPU, driver 580.65", shown)
            self.assertRegex(shown, r"l2_read +l2 +5\.5 TB/s +- ")
            figures = json.loads(run("gpus", "show", GPU, "--json", sim=False, config=config).stdout)
            self.assertEqual([(c["resource"], c["value"]) for c in figures["calibrated"]["ceilings"]], [row[1:3] for row in self.MEASURED])
            (folder / (GPU + ".json")).write_text("{")
            self.assertEqual(run("gpus", "show", GPU, sim=False, config=config).returncode, 2)

    def test_what_is_not_trusted_changes_nothing(self):
        measured = [self.ceiling("dram_copy", "dram", 9.0e12, "B/s", trusted=False)]
        _, plain = self.analyze(measured)
        _, kernel = self.analyze(measured, "--ceilings", "calibrated")
        self.assertEqual(kernel["attainable_time_s"], plain["attainable_time_s"])

    def test_without_a_calibration(self):
        done, _ = self.analyze(None, "--ceilings", "calibrated")
        self.assertEqual(done.returncode, 2)
        self.assertIn("roofline calibrate", done.stderr)

    def test_a_word_that_is_none(self):
        done, _ = self.analyze(None, "--ceilings", "measured")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--ceilings", done.stderr)

    def test_a_file_that_is_none(self):
        done, _ = self.analyze([{"name": "dram_copy", "value": "fast"}], "--ceilings", "calibrated")
        self.assertEqual(done.returncode, 2)
        for word in ("RF2007", "RF2004", "resource", GPU + ".json", "\"line\":1,"):
            self.assertIn(word, done.stderr)


class OtherPrograms(unittest.TestCase):
    """`roofline calibrate FILE`: fixtures of tests/data/ceilings, whose figures are made up."""
    def read(self, *words, config="/nonexistent"):
        words = [str(SOURCE / "tests/data/ceilings" / word) if "." in word else word for word in words]
        return run("calibrate", *words, sim=False, config=config)

    def test_they_are_kept_and_used(self):
        with tempfile.TemporaryDirectory() as config:
            done = self.read("babelstream.txt", "--json", config=config)
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual((document["gpu"], document["source"], document["device"], document["sustained"]),
                             (GPU, "BabelStream 5.0 read from babelstream.txt", {"name": "NVIDIA H100 80GB HBM3"}, False))
            copy = next(row for row in document["ceilings"] if row["name"] == "dram_copy")
            self.assertEqual((copy["value"], copy["datasheet"], copy["trusted"]), (2800000.5e6, 3.35e12, True))
            spec = pathlib.Path(config, "copy.yaml")
            spec.write_text(Used.SPEC)
            used = run("analyze", str(spec), "--gpu", GPU, "--ceilings", "calibrated", sim=False, config=config)
            self.assertIn("calibrated: DRAM 2.8 TB/s (84 %)", used.stdout)
            self.assertIn("BabelStream 5.0 read from babelstream.txt on ", used.stdout)
            self.assertEqual(self.read("gpu_stream.log", config=config).returncode, 0)  # another program's takes its place
            path = pathlib.Path(config, "roofline/calibrated", GPU + ".json")
            self.assertIn("SuperBench", path.read_text())

    def test_own_measurements_are_not_replaced(self):
        with tempfile.TemporaryDirectory() as config:
            folder = pathlib.Path(config, "roofline/calibrated")
            folder.mkdir(parents=True)
            own = json.dumps({"schema": "roofline.calibration/1", "date": "2026-01-01", "device": {"name": "GPU"}, "ceilings": [], "missing": []})
            (folder / (GPU + ".json")).write_text(own)
            done = self.read("babelstream.txt", config=config)
            self.assertIn("not saved: ", done.stdout)
            self.assertEqual((folder / (GPU + ".json")).read_text(), own)

    def test_several_are_one_calibration(self):
        done = self.read("babelstream.txt", "mixbench.txt", "nvbandwidth.log", "--json", "--no-save")
        document = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1)  # mixbench.txt has 90 TFLOP/s of fp64, where 33.5 are stated
        rows = {row["name"]: row for row in document["ceilings"]}
        self.assertFalse(rows["vector_fp64"]["trusted"])
        self.assertIn("above the data sheet", rows["vector_fp64"]["reason"])
        self.assertEqual(rows["dram_copy"]["value"], 2900.5e9)  # nvbandwidth's is the better one
        self.assertEqual(rows["dram_read"]["value"], 3100e9)    # BabelStream's Dot

    ROWS = [
        (["babelstream.csv", "--gpu", GPU], 1, ["arrays of 8 MiB are less than four times the caches (50 MiB)"], []),
        (["gpu_benches_stream.txt"], 0, ["not saved: the output does not name its GPU: --gpu NAME does"], []),
        (["gpu_stream.log", "bandwidth_test.txt"], 2, [], ["bandwidth_test.txt of t4", "one calibration is of one GPU"]),
        (["gpu_stream.log", "--device", "4"], 2, [], ["holds no figure of GPU 4"]),
        (["gpu_stream.log", "--quick"], 2, [], ["--quick is for measuring"]),
        (["README.md"], 2, [], ["RF2005", "no output with ceilings", "known are those of mixbench, BabelStream"]),
        (["nowhere.txt"], 2, [], ["RF2001", "nowhere.txt"]),
    ]

    def test_each_has_its_sentence_and_code(self):
        for words, code, page, messages in self.ROWS:
            with self.subTest(words=words), tempfile.TemporaryDirectory() as config:
                done = self.read(*words, config=config)
                self.assertEqual(done.returncode, code, done.stderr)
                for text in page:
                    self.assertIn(text, " ".join(done.stdout.split()))
                for text in messages:
                    self.assertIn(text, done.stderr)


class Schemas(unittest.TestCase):
    def test_documents_hold_to_their_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("SKIPPED: jsonschema is not installed")
        for name, words in [("calibration", ["calibrate", "--quick", "--gpu", GPU, "--json"]), ("calibration", ["calibrate", str(SOURCE / "tests/data/ceilings/mixbench.txt"), "--no-save", "--json"]), ("doctor", ["doctor", "--json"]),
                            ("detected-gpus", ["gpus", "detect", "--json"])]:
            with self.subTest(name):
                document = json.loads(run(*words).stdout)
                jsonschema.validate(document, json.loads(run("schema", name).stdout))
                if name != "calibration":
                    self.assertEqual(len(document["gpus"]), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

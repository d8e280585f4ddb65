#!/usr/bin/env python3
"""`roofline profile` from end to end: the real plug-in, loaded by the simulated driver into a test program.

usage: simulated_profiles.py ROOFLINE SIM_FOLDER LAUNCHES KERNELS

SIM_FOLDER holds the stand-ins for libcuda and libcupti (tests/sim), LAUNCHES and KERNELS are the test programs of tests/profile. What
is expected is what the program was told to do.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOFLINE, SIM, LAUNCHES, KERNELS = (os.path.abspath(path) for path in sys.argv[1:5])
GPU = "h100-sxm5-80gb"


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ROOFLINE_", "SIMCU", "CUDA_", "NVTX_"))}
    return {**kept, "LD_LIBRARY_PATH": SIM, "XDG_CONFIG_HOME": "/nonexistent", **more}


def profile(*program, options=(), **more):
    """The finished process and the result it wrote (None where it wrote none)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        done = subprocess.run([ROOFLINE, "profile", "-qq", "--gpu", GPU, "-o", path, *options, "--", *program], env=environment(**more),
                              capture_output=True, text=True, timeout=120, check=False)
        if not os.path.exists(path):
            return done, None
        with open(path, encoding="utf-8") as file:
            return done, json.load(file)


def lost(result):
    return {row["reason"]: row["count"] for row in result["coverage"]["lost"]}


class Endings(unittest.TestCase):
    # ending: exit code of roofline, key of the program's end with its value, whether everything is kept
    ROWS = {
        "return": (0, ("exit_code", 0), True),
        "exit": (4, ("exit_code", 3), True),
        "term": (4, ("signal", signal.SIGTERM), True),
        "segv": (4, ("signal", signal.SIGSEGV), True),
        "abort": (4, ("signal", signal.SIGABRT), True),
        "kill": (4, ("signal", signal.SIGKILL), False),
        "_exit": (4, ("exit_code", 4), False),
    }

    def test_every_way_to_end(self):
        for ending, (code, (key, value), whole) in self.ROWS.items():
            with self.subTest(ending):
                done, result = profile(LAUNCHES, "5000", ending)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(result["program"][key], value)
                self.assertTrue(result["simulated"])
                if whole:
                    self.assertEqual(result["totals"]["launches"], 5000)
                    self.assertTrue(result["complete"], lost(result))
                else:
                    self.assertFalse(result["complete"])
                    self.assertIn("capture_not_closed", lost(result))

    def test_the_programs_own_status(self):
        for ending, status in (("exit", 3), ("term", 128 + signal.SIGTERM), ("return", 0)):
            with self.subTest(ending):
                done, _ = profile(LAUNCHES, "100", ending, options=["--propagate-exit"])
                self.assertEqual(done.returncode, status)

    def test_output_is_the_programs_own(self):
        alone = subprocess.run([LAUNCHES, "100"], env=environment(), capture_output=True, check=True)
        done, _ = profile(LAUNCHES, "100")
        self.assertEqual(done.stdout, alone.stdout.decode())
        self.assertEqual(done.stderr, "")


class Processes(unittest.TestCase):
    def test_children_are_merged(self):
        _, result = profile(LAUNCHES, "5000", "forkexec")
        self.assertEqual(result["totals"]["launches"], 5500)
        self.assertEqual(len(result["kernels"]), 1)

    def test_runs_are_apart(self):
        _, result = profile(LAUNCHES, "300", options=["--runs", "3"])
        self.assertEqual([run["launches"] for run in result["kernels"][0]["measured"]["runs"]], [300, 300, 300])
        self.assertEqual(result["program"]["runs"], 3)

    def test_ranks_are_told_apart(self):
        script = f'for r in 0 1 2 3; do RANK=$r WORLD_SIZE=4 "{LAUNCHES}" $((100 + 100 * (r == 2))) & done; wait'
        done, result = profile("bash", "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(result["totals"]["launches"], 500)
        self.assertEqual([rank["rank"] for rank in result["ranks"]["each"]], [0, 1, 2, 3])
        self.assertEqual(result["ranks"]["straggler"], 2)
        self.assertAlmostEqual(result["ranks"]["imbalance"], 2.0)


class Refusals(unittest.TestCase):
    # variables of the simulation: code and a word of the sentence
    ROWS = {
        "other client": ({"SIMCUPTI_FAIL": "cuptiSubscribe=39", "SIMCUPTI_OTHER_CLIENT": "Kineto"}, "RF3011", "Kineto"),
        "other refusal": ({"SIMCUPTI_FAIL": "cuptiSubscribe=45"}, "RF3011", "WSL"),
        "no right to times either": ({"SIMCUPTI_FAIL": "cuptiActivityEnable:10=35"}, "RF3010", "times included"),
        "newer than the driver": ({"SIMCUPTI_VERSION": "990000"}, "RF3011", "newer than the driver"),
    }

    def test_each_has_its_sentence(self):
        for name, (variables, code, word) in self.ROWS.items():
            with self.subTest(name):
                done, _ = profile(LAUNCHES, "100", **variables)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(code, done.stderr)
                self.assertIn(word, done.stderr)
                self.assertIn("launched 100", done.stdout)  # the program ran all the same

    def test_program_without_cuda(self):
        done, _ = profile("true")
        self.assertEqual(done.returncode, 3)
        self.assertIn("RF3012", done.stderr)

    def test_folder_that_cannot_be_written_to(self):
        done, result = profile(LAUNCHES, "100", options=["--keep", "/proc/nowhere"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("RF2018", done.stderr)
        self.assertIsNone(result)
        self.assertEqual(done.stdout, "")  # nothing ran


class NothingIsRunTwice(unittest.TestCase):
    """A program may run for hours: what can be wrong is found before it, and what was recorded outlives a report that fails."""

    def kept(self, done):
        self.assertEqual(done.returncode, 2, done.stderr)
        found = re.search(r"what was recorded is kept: roofline analyze (\S+)", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        self.addCleanup(shutil.rmtree, found.group(1))
        again = subprocess.run([ROOFLINE, "analyze", "--json", "--gpu", GPU, found.group(1)], env=environment(), capture_output=True,
                               text=True, timeout=60, check=False)
        self.assertEqual(json.loads(again.stdout)["totals"]["launches"], 70, again.stderr)

    def test_output_that_cannot_be_written_is_found_before(self):
        for options in (["-o", "/proc/nowhere/run.json"], ["-o", "/tmp"], ["--report", "svg=/proc/nowhere/chart.svg"]):
            with self.subTest(options):
                done = subprocess.run([ROOFLINE, "profile", *options, "--", LAUNCHES, "10"], env=environment(), capture_output=True,
                                      text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn("RF2018", done.stderr)
                self.assertEqual(done.stdout, "")  # nothing ran

    def test_captures_are_kept_where_two_entries_match_one_kernel(self):
        entry = "  - {{name: {}, op: gemm, m: 64, n: 64, k: 64, dtype: bf16, match: {{regex: axp}}}}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("kernels:\n" + entry.format("a") + entry.format("b"))
            done, _ = profile(LAUNCHES, "70", options=["--spec", path])
        self.assertIn("both a and b match", done.stderr)
        self.kept(done)

    def test_captures_are_kept_where_a_filter_matches_nothing(self):
        done, _ = profile(LAUNCHES, "70", options=["--filter", "nothing*"])
        self.assertIn("no kernel matches", done.stderr)
        self.kept(done)


class WhichGpu(unittest.TestCase):
    A100 = {"SIMCUDA_NAME": "NVIDIA A100-SXM4-80GB", "SIMCUDA_ATTRIBUTES": "16=108,75=8,76=0,37=5120,38=41943040"}

    def test_one_that_is_named_and_is_another_is_said(self):
        _, result = profile(LAUNCHES, "10", **self.A100)  # --gpu names an H100
        texts = [w["text"] for w in result["warnings"] if w["code"] == "gpu_differs"]
        self.assertEqual(len(texts), 1)
        for word in ("A100-SXM4-80GB", GPU, "compute capability 8.0 here, 9.0 in the table"):
            self.assertIn(word, texts[0])

    def of_setting(self, gpu, **more):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            done = subprocess.run([ROOFLINE, "profile", "-qq", "-o", path, "--", LAUNCHES, "10"], env=environment(ROOFLINE_GPU=gpu, **more),
                                  capture_output=True, text=True, timeout=60, check=False)
            with open(path, encoding="utf-8") as file:
                return done, json.load(file)

    def test_a_setting_goes_where_the_device_leaves_a_choice(self):
        done, result = self.of_setting("h800-sxm5-80gb")  # the simulated device has the facts of H100 and H800
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(result["gpu"]["id"], "h800-sxm5-80gb")

    def test_a_setting_never_goes_against_the_device(self):
        done, result = self.of_setting(GPU, **self.A100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(result["gpu"]["id"], "a100-sxm4-80gb")
        done, result = self.of_setting("a100-sxm4-80gb")  # of the simulated H100 or H800
        self.assertEqual(done.returncode, 3)
        self.assertIn("ROOFLINE_GPU names a100-sxm4-80gb, which this is not", done.stderr)


class Starting(unittest.TestCase):
    def test_what_does_not_start_is_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script")
            with open(script, "w", encoding="utf-8") as file:
                file.write("#!/no/such/interpreter\n")
            for mode, word in ((0o755, "the interpreter that its first line names"), (0o644, "chmod +x")):
                os.chmod(script, mode)
                done, _ = profile(script)
                self.assertEqual(done.returncode, 2)
                self.assertIn(word, done.stderr)
            done, _ = profile(folder)
            self.assertIn("it is a folder", done.stderr)


class Losses(unittest.TestCase):
    ROWS = {"SIMCUPTI_DROP_EVERY": "records_dropped", "SIMCUPTI_ZERO_EVERY": "invalid_times", "SIMCUPTI_INVERT_EVERY": "invalid_times"}

    def test_are_counted_and_said(self):
        for variable, reason in self.ROWS.items():
            with self.subTest(variable):
                _, result = profile(LAUNCHES, "1000", **{variable: "10"})
                self.assertGreaterEqual(lost(result)[reason], 90)
                self.assertFalse(result["complete"])
                for kernel in result["kernels"]:  # no figure holds what has no time
                    self.assertGreater(kernel["measured"]["runs"][0]["min_s"], 0)


class HostileEndings(unittest.TestCase):
    def test_a_program_that_closes_every_descriptor_keeps_its_profile_and_its_own_file(self):
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, "own.txt")
            done, result = profile(LAUNCHES, "1000", "close_fds", "1", own)  # 1000 launches more behind that
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(own, encoding="utf-8") as file:
                self.assertEqual(file.read(), "the program's own file\n")
        self.assertEqual(result["totals"]["launches"], 2000)
        self.assertTrue(result["complete"], lost(result))

    def test_a_stack_that_overflows_ends_as_it_would_alone(self):
        done, result = profile(LAUNCHES, "1000", "overstack")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(result["program"]["signal"], signal.SIGSEGV)
        self.assertFalse(result["complete"])

    def test_an_exception_leaves_everything(self):
        _, result = profile(LAUNCHES, "1000", "throw")
        self.assertEqual(result["program"]["signal"], signal.SIGABRT)
        self.assertEqual(result["totals"]["launches"], 1000)

    def test_a_killed_program_leaves_what_was_flushed(self):
        _, result = profile(LAUNCHES, "1000", "sleepkill")  # many flushes later
        self.assertEqual(result["totals"]["launches"], 1000)
        self.assertEqual(lost(result), {"capture_not_closed": 1})


class NoRoom(unittest.TestCase):
    """The disk is full, or a limit of file sizes is reached: SIGXFSZ would end a program that never asked for a file."""

    def limited(self, kilobytes, launches, *ending):
        return profile("bash", "-c", f'ulimit -f {kilobytes}; exec "{LAUNCHES}" {launches} {" ".join(ending)}')

    def test_nothing_fits(self):
        done, result = self.limited(20, 100000)
        self.assertEqual(done.returncode, 3)
        self.assertIn("launched 100000", done.stdout)
        for word in ("RF5003", "could not be written", "ulimit -f", "--keep DIR"):
            self.assertIn(word, done.stderr)
        self.assertGreaterEqual(lost(result)["records_unwritten"], 200000)  # a kernel and a call for each launch

    def test_a_part_fits(self):
        done, result = self.limited(3000, 200000)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept, missing = result["totals"]["launches"], lost(result)["records_unwritten"]
        self.assertGreater(kept, 10000)
        self.assertLess(kept, 200000)
        self.assertGreaterEqual(2 * kept + missing, 400000 - 2 * 40000)  # calls in flight when the file was full
        self.assertFalse(result["complete"])

    def test_the_programs_status_is_its_own(self):
        done, _ = self.limited(20, 100000, "exit")
        self.assertEqual(done.returncode, 4)
        self.assertIn("exit code 3", done.stderr)


class CuptiMisbehaves(unittest.TestCase):
    def test_another_client_takes_the_buffers(self):
        done, result = profile(LAUNCHES, "1000", SIMCUPTI_NO_BUFFERS="1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("another profiler in the program took the records", done.stderr)
        self.assertEqual(lost(result), {"no_buffers": 1})

    def test_it_stops_on_its_own(self):
        done, result = profile(LAUNCHES, "1000", SIMCUPTI_FATAL_AFTER="300")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("launched 1000", done.stdout)
        self.assertFalse(result["complete"])
        self.assertIn("profiler_stopped", lost(result))

    def test_its_own_time_is_not_the_hosts(self):
        # Two more modules are loaded between launches; each is said to take 8 us of the driver's.
        # Kernels are short, so that the device is idle meanwhile.
        steps, short = ("launch:axpy:1", "contexts:axpy:1"), {"SIMCUDA_KERNEL_NS": "500"}
        _, without = profile(KERNELS, *steps, **short)
        _, told = profile(KERNELS, *steps, SIMCUPTI_OVERHEAD_NS="8000", **short)
        self.assertEqual(without["sequence"]["idle_profiler_s"], 0)
        self.assertGreater(told["sequence"]["idle_profiler_s"], 0)
        self.assertLessEqual(told["sequence"]["idle_profiler_s"], told["sequence"]["idle_s"] + 1e-12)

    def test_a_kind_that_it_refuses_costs_that_kind(self):
        _, result = profile(LAUNCHES, "100", SIMCUPTI_FAIL="cuptiActivityEnable:17=1")
        self.assertEqual(lost(result), {"kinds_refused": 1})
        self.assertEqual(result["totals"]["launches"], 100)
        self.assertTrue(result["complete"])


class Graphs(unittest.TestCase):
    # 9 launches are captured, and the graph is launched twice.
    def test_node_by_node(self):
        _, result = profile(KERNELS, "graph:node:9")
        self.assertEqual([(k["name"], k["launches"]) for k in result["kernels"]], [("node", 18)])
        self.assertEqual(result["sequence"]["graph_launches"], 2)

    def test_as_a_whole(self):
        _, result = profile(KERNELS, "graph:node:9", options=["--graph-level", "graph"])
        self.assertEqual([k["launches"] for k in result["kernels"]], [2])
        self.assertRegex(result["kernels"][0]["name"], r"^\[CUDA graph \d+\]$")
        self.assertGreaterEqual(result["totals"]["time_s"], 2 * 9 * 5e-6)  # of 5 us each


class Contexts(unittest.TestCase):
    def test_launches_of_all_are_counted(self):
        _, result = profile(KERNELS, "launch:axpy:3", "contexts:axpy:5:200")
        self.assertEqual(sorted((k["grid"][0], k["launches"]) for k in result["kernels"]), [(128, 3), (200, 5), (201, 5)])

    def test_under_counters_too(self):
        _, result = profile(KERNELS, "contexts:axpy:5:200", options=["--counters"])
        self.assertEqual([k["launches"] for k in result["kernels"]], [5, 5])
        self.assertTrue(result["complete"], lost(result))


class Ranges(unittest.TestCase):
    def test_hold_the_launches_made_in_them(self):
        done, result = profile(KERNELS, "launch:axpy:2", "range:step:5", "range:step:5", "range:evaluate:3")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = {r["name"]: r["runs"][0] for r in result["ranges"]}
        self.assertEqual(set(seen), {"", "step", "evaluate"})
        self.assertEqual([seen[name]["launches"] for name in ("", "step", "evaluate")], [15, 10, 3])
        self.assertEqual(seen["step"]["instances"], 2)
        self.assertGreaterEqual(seen["step"]["time_s"], 10 * 5e-6 * 0.999)  # of 5 us each

    def test_one_that_never_ends_is_counted(self):
        _, result = profile(KERNELS, "open:forever", "range:step:5")
        self.assertEqual(lost(result), {"ranges_open": 1})
        self.assertTrue(result["complete"])  # no launch and no time is missing
        self.assertNotIn("forever", [r["name"] for r in result["ranges"]])


class Interrupt(unittest.TestCase):
    def test_keeps_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            script = f'"{LAUNCHES}" 100; echo ready; exec sleep 60'
            run = subprocess.Popen([ROOFLINE, "profile", "--gpu", GPU, "-o", path, "--", "bash", "-c", script], env=environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while "ready" not in run.stdout.readline():
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 130, errors)
            self.assertIn("stopping, Ctrl-C again to kill", errors)
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            self.assertTrue(result["program"]["interrupted"])
            self.assertFalse(result["complete"])
            self.assertEqual(result["totals"]["launches"], 100)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

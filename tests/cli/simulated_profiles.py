#!/usr/bin/env python3
"""`roofline profile` from end to end: the real plug-in, loaded by the simulated driver into a test program.

usage: simulated_profiles.py ROOFLINE SIM_FOLDER LAUNCHES

SIM_FOLDER holds the stand-ins for libcuda and libcupti (tests/sim), LAUNCHES is the test program of tests/profile. What
is expected is what the program was told to do.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOFLINE, SIM, LAUNCHES = (os.path.abspath(path) for path in sys.argv[1:4])
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

#!/usr/bin/env python3
"""A saved result is read like the captures that it came from, and captures are read packed.

usage: results_again.py ROOFLINE SOURCE_DIR
"""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOFLINE, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
CAPTURES = SOURCE / "examples/captures"
# What is read, and the description that it is held against.
RUNS = {"small_kernels.rlf": [], "fused_chain": ["--spec", str(SOURCE / "examples/rms_silu_gate_add_fused.yaml")]}


def run(*words, stdin=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ROOFLINE_")}
    return subprocess.run([ROOFLINE, *map(str, words)], env={**clean, "XDG_CONFIG_HOME": "/nonexistent"}, input=stdin, capture_output=True,
                          text=True, timeout=60, check=False)


class Again(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def analyze(self, *words, **more):
        done = run("analyze", *words, "--json", **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_result_gives_what_its_captures_gave(self):
        for name, options in RUNS.items():
            with self.subTest(name):
                first = self.analyze(CAPTURES / name, *options)
                saved = self.path / "run.json"
                saved.write_text(json.dumps(first))
                again = self.analyze(saved, *options)
                self.assertEqual(again["gpu"]["id"], first["gpu"]["id"])
                self.assertTrue(again["simulated"])
                self.assertEqual(again["program"]["runs"], first["program"]["runs"])
                self.assertEqual(len(again["kernels"]), len(first["kernels"]))
                for new, old in zip(again["kernels"], first["kernels"]):
                    for key in ("id", "name", "grid", "block", "registers", "launches", "matched", "bound", "time_floor_s", "bytes", "flops"):
                        self.assertEqual(new.get(key), old.get(key), key)
                    for key in ("time_s", "runs", "status", "fraction_of_ceiling", "dram_bytes", "excess_traffic", "counters"):
                        self.assertEqual(new["measured"].get(key), old["measured"].get(key), key)

    def test_on_standard_input_and_packed(self):
        first = self.analyze(CAPTURES / "small_kernels.rlf")
        text = json.dumps(first)
        self.assertEqual(self.analyze("-", stdin=text)["kernels"][0]["measured"]["time_s"], first["kernels"][0]["measured"]["time_s"])
        packed = self.path / "run.json.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        self.assertEqual(self.analyze(packed)["kernels"][0]["measured"]["time_s"], first["kernels"][0]["measured"]["time_s"])

    def test_against_another_gpu(self):
        saved = self.path / "run.json"
        saved.write_text(json.dumps(self.analyze(CAPTURES / "fused_chain")))
        again = self.analyze(saved, *RUNS["fused_chain"], "--gpu", "h200")
        kernel = again["kernels"][0]
        self.assertEqual(again["gpu"]["id"], "h200-sxm-141gb")
        self.assertAlmostEqual(kernel["time_floor_s"], 402653184 / 4.8e12, delta=1e-7)  # its compulsory bytes over 4.8 TB/s

    def test_results_without_launches_or_of_several_gpus_are_refused(self):
        for words, sentence in ((["--gpu", "h100"], "holds no launches"), (["--gpu", "h100,h200"], "holds 2 results")):
            with self.subTest(sentence):
                made = run("analyze", SOURCE / "examples/add.yaml", *words, "--json")
                saved = self.path / "described.json"
                saved.write_text(made.stdout)
                done = run("analyze", saved)
                self.assertEqual(done.returncode, 2)
                self.assertIn("RF2005", done.stderr)
                self.assertIn(sentence, done.stderr)
                self.assertIn("roofline report", done.stderr)

    def test_packed_captures_alone_and_in_a_folder(self):
        plain = CAPTURES / "small_kernels.rlf"
        first = self.analyze(plain)
        (self.path / "a").mkdir()
        packed = self.path / "a/host.1.rlf.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        self.assertEqual(self.analyze(packed)["kernels"], first["kernels"])
        self.assertEqual(self.analyze(self.path / "a")["kernels"], first["kernels"])
        if zstd := shutil.which("zstd"):
            (self.path / "b").mkdir()
            subprocess.run([zstd, "-q", plain, "-o", self.path / "b/host.1.rlf.zst"], check=True)
            self.assertEqual(self.analyze(self.path / "b")["kernels"], first["kernels"])
        else:
            print("SKIPPED: no zstd program, so no capture was packed with it")

    def test_a_packed_capture_that_was_cut(self):
        packed = self.path / "cut.rlf.gz"
        packed.write_bytes(gzip.compress((CAPTURES / "small_kernels.rlf").read_bytes())[:-20])
        cut = self.analyze(packed)  # read up to its last whole record, as a plain one is
        self.assertFalse(cut["complete"])
        self.assertEqual(cut["coverage"]["lost"], [{"reason": "capture_not_closed", "count": 1}])
        self.assertLess(cut["totals"]["launches"], 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

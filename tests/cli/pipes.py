#!/usr/bin/env python3
"""Inputs that can be read only once: standard input and pipes, packed or not.

usage: pipes.py ROOFLINE SOURCE

Telling what an input is reads its beginning; all of it must still reach the reader, and the pipe's writer must not be cut off.
"""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOFLINE, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
INPUTS = {"description": ("examples/gemm_4096.yaml", ["--gpu", "h100"]), "trace": ("examples/traces/layers.json", []),
          "capture": ("examples/captures/small_kernels.rlf", []), "table": ("tests/data/ncu/wide_roofline.csv", [])}


def analyze(path, options, stdin=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ROOFLINE_")}
    done = subprocess.run([ROOFLINE, "analyze", path, "-q", *options], env={**environment, "XDG_CONFIG_HOME": "/nonexistent"},
                          input=stdin, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


class ReadOnce(unittest.TestCase):
    def test_as_from_a_file(self):
        for name, (path, options) in INPUTS.items():
            content = (SOURCE / path).read_bytes()
            code, expected, said = analyze(SOURCE / path, options)
            self.assertEqual(code, 0, said)
            self.assertIn(b"verdict" if name != "table" else b"covered", expected)
            for packed, content in (("plain", content), ("gzip", gzip.compress(content))):
                for way in ("-", "/dev/stdin"):
                    with self.subTest(f"{name} {packed} {way}"):
                        code, out, said = analyze(way, options, stdin=content)
                        self.assertEqual((code, out), (0, expected), said)
                with self.subTest(f"{name} {packed} named pipe"), tempfile.TemporaryDirectory() as folder:
                    pipe = os.path.join(folder, "pipe")
                    os.mkfifo(pipe)
                    cut = []

                    def write():
                        try:
                            with open(pipe, "wb") as file:
                                file.write(content)
                        except BrokenPipeError:
                            cut.append(True)

                    writer = threading.Thread(target=write)
                    writer.start()
                    code, out, said = analyze(pipe, options)
                    writer.join(timeout=30)
                    self.assertEqual((code, out), (0, expected), said)
                    self.assertEqual(cut, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

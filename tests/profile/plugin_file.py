#!/usr/bin/env python3
"""The plug-in as a file and as a guest: what it exports and needs, and what a million launches leave behind.

usage: plugin_file.py PLUGIN SIM_FOLDER LAUNCHES_PROGRAM

Other people's programs load it: it must bring its own C++ runtime, name neither libcuda nor libcupti, and show one symbol.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUGIN, SIM, LAUNCHES = (os.path.abspath(path) for path in sys.argv[1:4])


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def traced(*arguments, **more):
    """The finished program, its peak resident memory in kB and the bytes of its captures."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LD_LIBRARY_PATH": SIM, "CUDA_INJECTION64_PATH": PLUGIN, "ROOFLINE_PLUGIN_OUT": folder,
                       **more}
        child = subprocess.Popen([LAUNCHES, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = child.stdout.read(), child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stdout.close()
        child.stderr.close()
        size = sum(entry.stat().st_size for entry in os.scandir(folder)) if os.path.isdir(folder) else 0
        return child.returncode, out, err, usage.ru_maxrss, size


class File(unittest.TestCase):
    @unittest.skipUnless(shutil.which("nm"), "SKIPPED: no nm")
    def test_exports_one_symbol(self):
        symbols = {line.split()[-1] for line in output("nm", "-D", "--defined-only", PLUGIN).splitlines()}
        self.assertEqual({re.sub("@.*", "", symbol) for symbol in symbols}, {"InitializeInjection"})

    @unittest.skipUnless(shutil.which("readelf"), "SKIPPED: no readelf")
    def test_needs_the_c_library_alone(self):
        needed = re.findall(r"NEEDED.*\[(.*?)\]", output("readelf", "-d", PLUGIN))
        self.assertTrue(needed)
        for library in needed:
            self.assertRegex(library, r"^(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|ld-linux-aarch64)\.so")


class Guest(unittest.TestCase):
    def test_memory_does_not_grow_with_launches(self):
        few, many = traced("20000"), traced("1000000")
        self.assertEqual((few[0], many[0]), (0, 0), many[2])
        self.assertLess(many[3], few[3] + 16 * 1024)

    def test_a_launch_takes_few_bytes(self):
        few, many = traced("20000"), traced("220000")
        self.assertLessEqual((many[4] - few[4]) / 200000, 64)
        self.assertGreaterEqual((many[4] - few[4]) / 200000, 2 * 4, "launch and call are both there")

    def test_output_of_the_program_is_its_own(self):
        code, out, err, _, _ = traced("1000")
        self.assertEqual((code, out, err), (0, "launched 1000\n", ""))

    def test_a_folder_that_is_not_there_changes_nothing(self):
        code, out, err, _, _ = traced("1000", ROOFLINE_PLUGIN_OUT="/nonexistent/folder")
        self.assertEqual((code, out), (0, "launched 1000\n"))
        self.assertEqual(err.count("\n"), 1, err)

    def test_refusals_leave_the_program_alone(self):
        for result in ("39", "35", "15", "999"):
            with self.subTest(result):
                code, out, err, _, _ = traced("1000", SIMCUPTI_FAIL=f"cuptiSubscribe={result},cuptiSubscribe_v2={result}")
                self.assertEqual((code, out), (0, "launched 1000\n"))
                self.assertEqual(err.count("\n"), 1, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

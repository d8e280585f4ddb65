#!/usr/bin/env python3
"""A minute of libFuzzer over the importers, with the address and undefined-behaviour sanitizers.

usage: smoke.py SOURCE BUILD ROOFLINE [SECONDS]

Builds the fuzz targets in BUILD (with clang, which is another compiler than the tests') and runs them: the bytes choosing
their format, then each format alone, then the readers of ceilings. Exit code 77: there is no clang with libFuzzer.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LIMITS = ["-timeout=10", "-rss_limit_mb=2048"]


def has_fuzzer(clang):
    """A program of one line links: the run-time libraries of the sanitizers come in a package of their own."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one.cpp"
        source.write_text('extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n')
        done = subprocess.run([clang, "-fsanitize=fuzzer,address,undefined", source, "-o", source.with_suffix("")], capture_output=True)
        return done.returncode == 0


def build(source, folder, clang):
    subprocess.run(["cmake", "-S", source, "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={clang}", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DROOFLINE_FUZZ=ON", "-DROOFLINE_CUPTI=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "import_fuzz", "ceilings_fuzz"], check=True, stdout=subprocess.DEVNULL)


def fuzz(program, name, seconds, seeds, folder, environment=None):
    """Runs one target; findings are in FOLDER. Returns whether there were none."""
    kept = folder / "corpus" / name
    kept.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([program, f"-max_total_time={seconds}", *LIMITS, f"-artifact_prefix={folder}/", kept, *seeds], text=True,
                          capture_output=True, errors="replace", env={**os.environ, **(environment or {})})
    runs = re.search(r"stat::number_of_executed_units: (\d+)|Done (\d+) runs", done.stderr)
    print(f"{name:20} {next((n for n in runs.groups() if n), '?') if runs else '?':>9} runs  exit {done.returncode}", flush=True)
    if done.returncode or not runs:
        print(done.stderr[-4000:])
        return False
    return True


def main():
    source, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 60
    clang = shutil.which("clang++")
    if not clang or not has_fuzzer(clang):
        print("skipped: no clang++ with libFuzzer (Debian: clang, libclang-rt-dev); no importer was fuzzed")
        return SKIPPED
    build(source, folder, clang)
    listed = subprocess.run([sys.argv[3], "import", "--list"], check=True, capture_output=True, text=True).stdout
    formats = re.findall(r"^  ([a-z0-9-]+)  +\S", listed, re.MULTILINE)
    formats = [name for name in formats if name != "format"]
    if len(formats) < 10:
        print("the formats were not found in what import --list prints:", listed)
        return 1
    seeds = sorted(path for path in (source / "tests/data").iterdir() if path.is_dir())
    importer, ceilings = folder / "tests/fuzz/import_fuzz", folder / "tests/fuzz/ceilings_fuzz"
    each = max(1, seconds * 2 // 3 // len(formats))
    good = fuzz(importer, "any", max(1, seconds // 5), seeds, folder)
    for name in formats:
        good = fuzz(importer, name, each, seeds, folder, {"ROOFLINE_FUZZ_FORMAT": name}) and good
    good = fuzz(ceilings, "ceilings", max(1, seconds // 10), [source / "tests/data/ceilings"], folder) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

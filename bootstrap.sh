#!/usr/bin/env bash
# Sets everything up on Debian or Ubuntu and does one of:
#   ./bootstrap.sh demo    build, then print the verdict of a shipped example
#   ./bootstrap.sh test    build, then run all tests
#   ./bootstrap.sh build   build only
# Elsewhere it installs nothing: a C++20 compiler and CMake 3.20 must be there; CMake fetches missing libraries.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
job=${1:-demo}
case $job in demo | test | build) ;; *)
  sed -n '2,6s/^# \{0,1\}//p' "$0"
  exit 2 ;;
esac

packages=(g++ cmake ninja-build libcli11-dev nlohmann-json3-dev libyaml-cpp-dev libfmt-dev libexpected-dev libzstd-dev libsqlite3-dev
  zlib1g-dev)
[ "$job" = test ] && packages+=(git libgtest-dev ccache python3 python3-yaml python3-jsonschema)
if command -v apt-get >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    echo "installing: ${missing[*]}" >&2
    as_root=$([ "$(id -u)" = 0 ] || echo sudo)
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  # For fuzzing alone, which is skipped without it.
  if [ "$job" = test ] && ! command -v clang++ >/dev/null; then
    as_root=$([ "$(id -u)" = 0 ] || echo sudo)
    echo "installing: clang" >&2
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends clang libclang-rt-dev >/dev/null ||
      echo "clang could not be installed: nothing will be fuzzed" >&2
  fi
fi

preset=$([ "$job" = test ] && echo ci || echo release)
cmake --preset "$preset" >&2
cmake --build --preset "$preset" >&2
case $job in
  demo) "build/$preset/roofline" analyze examples/gemm_4096.yaml --gpu h100 ;;
  test) ctest --preset ci ;;
esac

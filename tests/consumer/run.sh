#!/usr/bin/env bash
# Builds consumer.cpp as a user would and compares what it prints.
#   run.sh find_package SOURCE BUILD [CMAKE OPTION...]       installs what BUILD has built into a folder of its own first
#   run.sh add_subdirectory SOURCE BUILD [CMAKE OPTION...]
set -euo pipefail
how=$1 source=$2 build=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-S "$here" -B "$work/build" "-DUSE=$how" "$@")
if command -v ninja > /dev/null; then options+=(-G Ninja); fi
if [ "$how" = find_package ]; then
  cmake --install "$build" --prefix "$work/prefix" > "$work/log" || { cat "$work/log"; exit 1; }
  "$work/prefix/bin/roofline" --version > /dev/null
  if [ -z "$(find "$work/prefix" -name roofline-config.cmake)" ]; then
    echo "the library is not installed: its dependencies were fetched for this build"
    exit 77
  fi
  options+=("-DCMAKE_PREFIX_PATH=$work/prefix")
else
  options+=("-DROOFLINE_SOURCE=$source" -DROOFLINE_CUPTI=OFF)
fi
cmake "${options[@]}" > "$work/log" 2>&1 && cmake --build "$work/build" --target consumer > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
printed=$("$work/build/consumer")
echo "$printed"
[ "$printed" = "138.9 us, compute" ]

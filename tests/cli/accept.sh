#!/usr/bin/env bash
# Rewrites what the tests of the command line expect: all cases and docs/, or only what is named.
#   tests/cli/accept.sh [PROGRAM] [CASE...|docs]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$here/../../build/dev/roofline
if [ $# -gt 0 ] && [ -f "$1" ] && [ -x "$1" ]; then
  program=$1
  shift
fi
[ -x "$program" ] || { echo "no program at $program: build it, or name it first" >&2; exit 2; }
if [ $# -eq 0 ]; then
  python3 "$here/run.py" --accept --docs "$program" "$here"/cases/*/
  exit
fi
for name in "$@"; do
  if [ "$name" = docs ]; then python3 "$here/run.py" --accept --docs "$program"
  else python3 "$here/run.py" --accept "$program" "$here/cases/$name"; fi
done

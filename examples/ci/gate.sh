#!/bin/sh
# Any other CI, or by hand: the exit status is the answer, the reports are for whoever reads them.
#   sh gate.sh GATE -- ./bench --size 4096
roofline gate "$@"
status=$?
case $status in
  0) ;;
  1) echo "a limit is broken: the kernels have to change, or the limit with a reason" >&2 ;;
  2) echo "an input is wrong, or a value is missing: nothing was decided" >&2 ;;
  3) echo "this machine cannot answer: run it where the gate's GPU is" >&2 ;;
  4) echo "the program failed: its own output says why" >&2 ;;
  5) echo "undecided: the noise here is too wide for the limit" >&2 ;;
esac
exit $status

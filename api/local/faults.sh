#!/bin/sh
# The long form of the fault tests: a kill, EIO or ENOSPC at each of some hundred system calls of storing
# (strace), and twelve sizes of a disk that runs full (root). It takes about two minutes and prints the
# number of faults.
set -eu
cd "$(dirname "$0")"
MEDIADESK_LONG=1 go test -count=1 -timeout 30m -v -run 'TestFailingSystemCalls|TestFullDisk' . | grep -E 'faults happened|bad state|^(---|ok|FAIL|PASS)'

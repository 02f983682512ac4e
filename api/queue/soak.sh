#!/bin/sh
# The long form of the fault tests: 20 kinds of faults, each with every way of
# naming; 2,000 uploads at 40 % faults; 200 rounds of kill -9 over 1,000 files
# at 15 % faults. What the library holds is counted. Takes some minutes.
# MEDIADESK_KILLS=N: so many rounds of kill -9, over five times as many files.
set -eu
cd "$(dirname "$0")"
MEDIADESK_LONG=1 go test -count=1 -timeout 60m -v -run 'TestEveryMishap|TestManyMishaps|TestKilledAgainAndAgain' . | grep -v '^=== '

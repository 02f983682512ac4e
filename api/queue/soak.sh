#!/bin/sh
# The long form of the fault tests: 20 kinds of faults with each naming; 2,000 uploads with 40 % faults;
# 200 rounds of kill -9 over 1,000 files with 15 % faults. It counts the files in the library.
# MEDIADESK_KILLS=N sets the rounds of kill -9, over five times as many files.
set -eu
cd "$(dirname "$0")"
MEDIADESK_LONG=1 go test -count=1 -timeout 60m -v -run 'TestEveryMishap|TestManyMishaps|TestKilledAgainAndAgain' . | grep -v '^=== '

#!/bin/sh
# The long form of the fault tests: 20 kinds of faults, each with every way of
# naming; 2,000 uploads at 40 % faults; 200 rounds of kill -9 over 1,000 files
# at 15 % faults; 2,000 files to a service that dies (once for 10 minutes), limits,
# stalls and restarts, while what the screen would say is compared with the truth
# each second. What the library holds is counted. Takes about half an hour.
# MEDIADESK_KILLS=N: so many rounds of kill -9, over five times as many files.
set -eu
cd "$(dirname "$0")"
MEDIADESK_LONG=1 go test -count=1 -timeout 60m -v -run 'TestEveryMishap|TestManyMishaps|TestKilledAgainAndAgain|TestOutages' . | grep -v '^=== '

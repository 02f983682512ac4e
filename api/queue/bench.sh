#!/bin/sh
# Compares sending with curl and rclone in one run, as ratios: one file of 300 MB to a service that
# discards it and to the local library, and 2,000 files of 20 kB, 8 at a time, with processor time and
# peak memory. It also compares a start with 100,000 queued jobs with reading their rows. Build time is
# not measured. Two lower limits are measured as well: only hashing the large file, and for the small
# files the necessary system calls.
# MEDIADESK_BENCH_RUN=REGEXP selects measurements, such as many or start. MEDIADESK_BENCH=curl leaves out
# rclone, which takes a minute.
# Missing curl and rclone are installed with apt-get.
set -eu
cd "$(dirname "$0")"
for tool in curl rclone; do
  command -v "$tool" >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$tool"; } || echo "$tool cannot be installed: no ratio against it"
done
export MEDIADESK_BENCH="${MEDIADESK_BENCH:-all}"
# One process for each, because the peak memory of the first would count for the others.
for part in 'TestCompare$' 'TestCompareStart$'; do
  go test -count=1 -timeout 20m -run "$part" -v . | sed '/^===/d; /^---/d; /^PASS/d; /^ok/d'
done

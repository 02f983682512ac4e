#!/bin/sh
# Sending beside curl and rclone, in one run and as ratios: one file of 300 MB,
# to a service that throws it away and to the local library, and 2,000 of 20 kB,
# 8 at a time; processor time and peak memory beside each; and a start with
# 100,000 jobs that wait, beside reading their rows. Build time is not measured.
# Two floors stand beside: hashing the large file and nothing else, and
# for the small ones the system calls that no program can leave out.
# MEDIADESK_BENCH_RUN=REGEXP measures only what matches, such as many or start;
# MEDIADESK_BENCH=curl leaves rclone out, which takes a minute.
# curl and rclone are installed with apt-get where they are missing.
set -eu
cd "$(dirname "$0")"
for tool in curl rclone; do
  command -v "$tool" >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$tool"; } || echo "$tool cannot be installed: no ratio against it"
done
export MEDIADESK_BENCH="${MEDIADESK_BENCH:-all}"
# One process each: the peak memory of the first would count for the others.
for part in 'TestCompare$' 'TestCompareStart$'; do
  go test -count=1 -timeout 20m -run "$part" -v . | sed '/^===/d; /^---/d; /^PASS/d; /^ok/d'
done

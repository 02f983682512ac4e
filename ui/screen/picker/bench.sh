#!/bin/bash
# Compares the program with installed terminal file managers (nnn, vifm, mc, lf, ranger) in a folder of
# 100,000 entries, each on a pseudo-terminal of 200x60: the time from the start to the first names and to
# the sorted list, the time from a key to the last byte, memory, and the idle processor time. It measures
# the program in a folder of 100, too, and its parts compared with reading the folder. Only the ratios of
# one run count. BESIDE="nnn mc" selects programs, BESIDE=- none.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for n in 100000 100; do
	mkdir "$work/$n"
	(cd "$work/$n" && seq -f 'IMG_%06g holiday.jpg' "$n" | tr '\n' '\0' | xargs -0 touch)
done
go build -o "$work/mediadesk" .
go test -c -o "$work/bench" ./ui/screen/picker
readarray -t first < <(seq -f 'IMG_%06g' 12)
echo "100,000 entries"
beside() { MEDIADESK_BESIDE=$(printf '%s\n' "$work/mediadesk" "$@" "${first[@]}") "$work/bench" -test.run TestBeside; }
beside "$work/100000"
echo "100 entries"
BESIDE=- beside "$work/100"
MEDIADESK_BENCH_FOLDER="$work/100000" "$work/bench" -test.run XX -test.bench Many -test.benchtime 20x -test.benchmem | grep ^Bench |
	awk '{ t[$1] = $3 / 1e6; printf "%-34s %8.2f ms", $1, $3 / 1e6; if ($1 ~ /RawReading/) raw = $3; if (raw) printf "   %.2f of the raw reading", $3 / raw; print "" }'

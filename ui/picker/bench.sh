#!/bin/sh
# A folder of 100,000 entries: reading it raw (find), first rows and all rows
# sorted in the picker, a key of the filter, a key of the cursor; and nnn where it
# is installed. Only the ratios of one run count.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/many"
(cd "$work/many" && seq -f 'IMG_%06g holiday.jpg' 100000 | tr '\n' '\0' | xargs -0 touch)
best() { # the fastest of some runs, in milliseconds
	for _ in 1 2 3 4 5; do
		begin=$(date +%s%N)
		"$@" >/dev/null 2>&1 || true
		echo $((($(date +%s%N) - begin) / 1000))
	done | sort -n | head -1 | awk '{printf "%.1f", $1/1000}'
}
echo "raw reading (find):  $(best find "$work/many" -maxdepth 1 -printf '') ms"
if command -v nnn >/dev/null && command -v script >/dev/null; then
	export NNN_OPTS=
	echo "nnn, start to end:   $(best sh -c "printf q | TERM=xterm script -qec 'nnn $work/many' /dev/null") ms"
fi
MEDIADESK_BENCH_FOLDER="$work/many" go test ./ui/picker -run XX -bench 'Many' -benchtime 20x

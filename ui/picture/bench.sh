#!/bin/sh
# Preview of a 24-megapixel JPEG, the whole process, beside the tools that draw
# pictures in terminals. Needs timg and chafa, and convert (ImageMagick) to make
# the picture. Prints medians of interleaved runs, and ratios: only those count.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=${RUNS:-7}
convert -size 6000x4000 plasma:tan-blue -attenuate 0.3 +noise Gaussian -quality 90 "$work/a.jpg"
convert "$work/a.jpg" -interlace JPEG "$work/p.jpg"
go build -o "$work/ours" ./testdata/preview
measure() { # NAME COMMAND…: milliseconds and kilobytes of one run
	name=$1
	shift
	/usr/bin/env time -f "%e %M" -o "$work/one" "$@" >/dev/null 2>&1 || true
	tail -1 "$work/one" >>"$work/$name"
}
for file in a p; do
	rm -f "$work"/run-*
	for _ in $(seq "$runs"); do
		measure run-ours "$work/ours" "$work/$file.jpg" 80 40
		command -v timg >/dev/null && measure run-timg timg -ph -g80x40 "$work/$file.jpg"
		command -v chafa >/dev/null && measure run-chafa chafa -f symbols --symbols half -s 80x40 "$work/$file.jpg"
	done
	[ $file = a ] && echo "24-megapixel JPEG, 80x40 cells" || echo "the same, progressive"
	for name in ours timg chafa; do
		[ -f "$work/run-$name" ] || continue
		sort -n "$work/run-$name" | awk -v name=$name '{t[NR]=$1*1000; if ($2>m) m=$2} END {printf "%s %d %d\n", name, t[int((NR+1)/2)], m/1024}'
	done | awk '{t[$1]=$2; m[$1]=$3; printf "  %-6s %5d ms %4d MB", $1, $2, $3; if ($1!="ours" && $2>0 && $3>0) printf "   ours is %.2f of the time, %.2f of the memory", t["ours"]/$2, m["ours"]/$3; print ""}'
done
echo "inside the process: the whole picture, the camera's small one, the cache on disk"
go test -run XX -bench '(Eighth|Quick|Cached)24MP' -benchtime 20x . | grep ns/op

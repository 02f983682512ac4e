#!/bin/sh
# Measures the preview of JPEG, WebP and PNG pictures as a whole process, compared with tools that draw
# pictures in terminals. It needs these tools, and convert (ImageMagick) to make the pictures. It prints
# medians of interleaved runs, and ratios: only those count.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=${RUNS:-7}
convert -size 6000x4000 plasma:tan-blue -attenuate 0.3 +noise Gaussian -quality 90 "$work/a.jpg"
convert "$work/a.jpg" -interlace JPEG "$work/p.jpg"
go build -o "$work/ours" ./testdata/preview
measure() { # NAME COMMAND…: milliseconds and kilobytes of one run; a failing one is told and not counted
	name=$1
	shift
	[ ! -f "$work/failed-$name" ] || return 0
	if /usr/bin/env time -q -f "%e %M" -o "$work/one" "$@" >/dev/null 2>"$work/said"; then
		cat "$work/one" >>"$work/run-$name"
	else
		echo "  $name failed, no figures of it: $(tail -1 "$work/said")"
		touch "$work/failed-$name"
		rm -f "$work/run-$name"
	fi
}
figures() { # NAME…: medians, with ratios of the first to each other
	[ -f "$work/run-$1" ] || return 0
	for name in "$@"; do
		[ -f "$work/run-$name" ] || continue
		sort -n "$work/run-$name" | awk -v name="$name" '{t[NR]=$1*1000; if ($2>m) m=$2} END {printf "%s %d %d\n", name, t[int((NR+1)/2)], m/1024}'
	done | awk 'NR==1 {t0=$2; m0=$3} {printf "  %-14s %5d ms %4d MB", $1, $2, $3; if (NR>1 && $2>0 && $3>0) printf "   ours is %.2f of the time, %.2f of the memory", t0/$2, m0/$3; print ""}'
}
has() { command -v "$1" >/dev/null; }
convert "$work/a.jpg" -quality 80 "$work/a.webp"
convert "$work/a.jpg" -resize 4240x2830! -depth 8 "$work/a.png"
for file in a.jpg p.jpg a.webp a.png; do
	rm -f "$work"/run-* "$work"/failed-*
	case $file in
	a.jpg) echo "24-megapixel JPEG, 80x40 cells" ;;
	p.jpg) echo "the same, progressive" ;;
	a.webp) echo "the same as lossy WebP" ;;
	a.png) echo "12-megapixel PNG" ;;
	esac
	for _ in $(seq "$runs"); do
		measure ours "$work/ours" "$work/$file" 80 40
		if has timg; then measure timg timg -ph -g80x40 "$work/$file"; fi
		if has chafa; then measure chafa chafa -f symbols --symbols half -s 80x40 "$work/$file"; fi
	done
	figures ours timg chafa
done

#!/bin/sh
# Measures sync of 2,000 small files as a whole process: mediadesk to its service, and rclone to its
# WebDAV server. It prints the time of the first run, the median of RUNS interleaved runs with
# nothing to do, and the ratios: only these count.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'kill $servers 2>/dev/null || true; rm -rf "$work"' EXIT
servers=
go build -o "$work/mediadesk" .
(cd ui/cli/testdata/rclone && go build -o "$work/rclone" .)
mkdir -p "$work/files" "$work/webdav"
n=0
while [ $n -lt 2000 ]; do
	mkdir -p "$work/files/$((n / 100))"
	head -c $((2000 + n * 9)) /dev/urandom >"$work/files/$((n / 100))/$n.bin"
	n=$((n + 1))
done
export MEDIADESK_HOME="$work/home" MEDIADESK_PRIVATE_KEY=private_of_the_benchmark
"$work/mediadesk" serve --ephemeral --addr 127.0.0.1:0 --json >"$work/first" &
servers="$!"
"$work/rclone" serve webdav "$work/webdav" --addr 127.0.0.1:17845 >"$work/rclone.log" 2>&1 &
servers="$servers $!"
until [ -s "$work/first" ] && curl -s -o /dev/null http://127.0.0.1:17845/; do :; done
address=$(sed 's/.*"address":"\([^"]*\)".*/\1/' "$work/first")
ours() { "$work/mediadesk" sync "$work/files" "/$1/" --upload-url "$address" --base-url "$address" --delivery-url "$address" --quiet; }
theirs() { "$work/rclone" sync "$work/files" ":webdav:$1" --webdav-url http://127.0.0.1:17845 --config ''; }
measure() { # NAME COMMAND…: seconds of one run
	name=$1
	shift
	begin=$(date +%s.%N)
	"$@" >/dev/null
	echo "$(date +%s.%N) $begin" | awk '{print $1 - $2}' >>"$work/times-$name"
}
measure ours-first ours photos
measure rclone-first theirs photos
run=0
while [ $run -lt "${RUNS:-7}" ]; do
	measure ours-again ours photos
	measure rclone-again theirs photos
	run=$((run + 1))
done
for kind in first again; do
	for name in ours rclone; do
		sort -n "$work/times-$name-$kind" | awk -v name=$name '{t[NR] = $1} END {print name, t[int((NR + 1) / 2)]}'
	done | awk -v kind=$kind '{t[$1] = $2} END {printf "%-6s mediadesk %.2f s, rclone %.2f s: %.2f of the time\n", kind, t["ours"], t["rclone"], t["ours"] / t["rclone"]}'
done

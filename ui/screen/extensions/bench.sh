#!/bin/bash
# Measures watching extensions: posts beside 1,000 slow connections, the board with 500 pending runs, and
# the processor time of an idle program with 500 pending runs, compared with none: during the first poll
# of each file, which takes two minutes, and afterwards. Needs go and tmux.
set -euo pipefail
cd "$(dirname "$0")/../../.."
go test ./api/watch -run '^$' -bench Posts -benchtime 2000x | grep -E '^Bench|FAIL'
go test ./ui/screen/extensions -run '^$' -bench Board -benchtime 300x | grep -E '^Bench|FAIL'

command -v tmux >/dev/null || { echo "idle: skipped, tmux is not installed"; exit 0; }
dir=$(mktemp -d)
server=
cleanup() {
	tmux -L "mediadesk-bench-$$" kill-server 2>/dev/null || true
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$dir"
}
trap cleanup EXIT
go build -o "$dir/mediadesk" .
mkdir "$dir/pictures"
for i in $(seq 500); do cp assets/sample/logo.png "$dir/pictures/$i.png"; done

# ticks PID: the processor time of a process and its children, in hundredths of a second. The program
# runs under a parent that restores the terminal.
ticks() {
	local pids
	pids="$1 $(cat /proc/"$1"/task/*/children)"
	for pid in $pids; do cat "/proc/$pid/stat"; done | awk '{ sum += $14 + $15 } END { print sum }'
}

# idle HOME PAUSE…: the processor time of 20 s of the running program after each pause, in hundredths of
# a second.
idle() {
	local home=$1 pid before after
	shift
	tmux -L "mediadesk-bench-$$" -f /dev/null new-session -d -x 120 -y 36 "MEDIADESK_HOME=$home exec $dir/mediadesk --profile local"
	sleep 5
	tmux -L "mediadesk-bench-$$" send-keys 3
	pid=$(tmux -L "mediadesk-bench-$$" list-panes -F '#{pane_pid}')
	for pause in "$@"; do
		sleep "$pause"
		before=$(ticks "$pid")
		sleep 20
		after=$(ticks "$pid")
		echo $((after - before))
	done
	tmux -L "mediadesk-bench-$$" kill-server
}

for runs in 0 500; do
	home=$dir/home$runs
	MEDIADESK_HOME=$home "$dir/mediadesk" serve --addr 127.0.0.1:0 --data "$home/data/library" --fault extensions=pending >/dev/null 2>&1 &
	server=$!
	until [ -e "$home/data/library/owner.json" ]; do sleep 0.1; done
	if [ "$runs" -gt 0 ]; then
		MEDIADESK_HOME=$home "$dir/mediadesk" upload "$dir/pictures" --extension remove-bg --concurrency 8 | tail -1
	else
		MEDIADESK_HOME=$home "$dir/mediadesk" upload "$dir/pictures/1.png" | tail -1
	fi
	pauses=5
	[ "$runs" -eq 0 ] || pauses="5 130"
	# shellcheck disable=SC2086 # several words
	idle "$home" $pauses | while read -r ticks; do
		awk -v n="$runs" -v t="$ticks" 'BEGIN { printf "idle with %d runs pending: %.2f %% of a core over 20 s\n", n, t * 100 / (20 * 100) }'
	done
	kill "$server"
	wait "$server" || true
	server=
done

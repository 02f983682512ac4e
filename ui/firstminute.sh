#!/bin/sh
# The first minute in tmux: from a fresh clone and an empty home to a stored picture. It counts and prints
# commands, keys and seconds. The time of the build is separate from the time of the user.
# Usage: sh ui/firstminute.sh   (needs git, tmux, Go, and the modules of the build in its cache; the first
# download does not count)
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
tmux() { command tmux -S "$work/tmux" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/home"
commands=0 keys=0
now() { date +%s.%N; }
since() { echo "$1 $(now)" | awk '{printf "%.1f", $2 - $1}'; }
await() {
  i=0
  until tmux capture-pane -p | grep -qF -e "$1"; do
    i=$((i + 1))
    [ $i -lt 3000 ] || { echo "waited for: $1"; tmux capture-pane -p; exit 1; }
    sleep 0.1
  done
}
key() { keys=$((keys + 1)); tmux send-keys "$1"; }

began=$(now)
git clone -q . "$work/mediadesk"
commands=$((commands + 1))
cloned=$(since "$began")
tmux new-session -d -x 120 -y 36 -c "$work/mediadesk/assets/sample" \
  -e HOME="$work/home" -e MEDIADESK_HOME="$work/home/desk" -e GOPATH="$(go env GOPATH)" -e GOCACHE="$(go env GOCACHE)" -e PATH="$PATH" "cd '$work/mediadesk' && exec go run . assets/sample"
commands=$((commands + 1))
await "Try it here"
built=$(since "$began")
person=$(now)
key Enter # try it here
await "harbour.jpg"
key Space # pick
await "To upload: 1 file"
key u # the form
await "Will be stored as"
key C-s # send
await "1 of 1 stored"
used=$(since "$person")
printf 'commands %s, keys %s, seconds %s: clone %s, build and first screen %s, from there to the stored picture %s\n' \
  "$commands" "$keys" "$(since "$began")" "$cloned" "$(echo "$built $cloned" | awk '{printf "%.1f", $1 - $2}')" "$used"
[ "$commands" -le 2 ] && [ "$keys" -le 6 ] || { echo "the goal is two commands and six keys"; exit 1; }
[ "${used%.*}" -lt 30 ] || { echo "the goal is thirty seconds from the first screen"; exit 1; }

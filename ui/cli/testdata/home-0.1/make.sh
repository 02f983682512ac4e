#!/bin/bash
# Makes home.tar.gz, the home of a user of version 0.1, and files with what 0.1 printed about it. See
# README.md.
# Usage: make.sh BINARY   (of version 0.1; needs tmux, curl and the right to make /home/ada)
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
samples=$here/../../../../assets/sample
ada=/home/ada
[ ! -e $ada ] || { echo "$ada exists"; exit 1; }
work=$(mktemp -d)
mkdir -p $ada/pictures/holiday $ada/bin
cd $ada
export HOME=$ada MEDIADESK_HOME=$ada/.mediadesk TERM=xterm-256color XDG_RUNTIME_DIR=$work DBUS_SESSION_BUS_ADDRESS=
export PATH=$ada/bin:$PATH EDITOR=$ada/bin/editor
ln -s "$program" bin/mediadesk
tmux() { command tmux -S "$work/tmux" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null || true; kill -9 $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# until_true waits for a command to succeed.
until_true() {
  for _ in $(seq 4000); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "waited for: $*" >&2
  tmux capture-pane -p >&2 || true
  return 1
}
shows() { tmux capture-pane -p | grep -qF -e "$1"; }
gone() { ! shows "$1"; }
await() { until_true shows "$1"; }
keys() { tmux send-keys "$@"; }
screens() { tmux new-session -d -x 120 -y 40 -c $ada "mediadesk $*"; }
leave() { keys q; until_true bash -c "! tmux -S $work/tmux has-session"; }
# id prints the id of the file at a path of the library.
id() { mediadesk --profile "$1" list "$(dirname "$2")" --json | grep -F "\"filePath\":\"$2\"" | sed 's/.*"fileId":"\([^"]*\)".*/\1/'; }
uploads() { mediadesk --profile lab uploads --json --limit 0; }
says() { local n; n=$(uploads | grep -cE "$2" || true); [ "$n" -ge "$1" ]; }

# Ada's files.
cp $samples/* pictures/
cp pictures/harbour.jpg pictures/holiday/sea.jpg
cp pictures/mug.jpg "pictures/holiday/Größe 東京.jpg"
cp pictures/logo.png pictures/holiday/badge.png
cp pictures/orbit.gif pictures/holiday/turn.gif
printf 'The tide table of the harbor.\n' >pictures/tides.txt
printf '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="teal"/></svg>\n' >pictures/flag.svg
printf '%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 90 60]>>endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n' >pictures/paper.pdf
for n in 0 1 2 3 4 5 6 7 8 9; do printf 'open upload %s\n' $n >pictures/open-$n.txt; done
head -c 12000000 /dev/zero >pictures/open-tape.bin
find pictures -type f -exec touch -d 2026-01-02T03:04:05Z {} +

# The first start of the screens. Each screen is visited once, so that its tip was shown.
screens pictures
await 'Try it here'
keys Enter
await harbour.jpg
keys B
await 'bookmark'
for n in 2 3 4 5; do keys $n; sleep 1; done
keys 1
leave

# Her settings: her own keys with the names of 0.1, a theme, two accounts.
mediadesk profile add lab --upload-url http://127.0.0.1:7853 --base-url http://127.0.0.1:7853 --delivery-url http://127.0.0.1:7853 \
  --folder /lab/ --tags lab,from-ada --max-size 20000000 --max-video-size 90000000
mediadesk profile add work --hosted ada_account --plan lite --extension remove-bg --extension '{"name":"google-auto-tagging","maxTags":5,"minConfidence":70}' --unique service
cat >>.mediadesk/config.toml <<'TOML'

# Ada's own part: comments must not change.
[keys]
"upload form" = ["f8", "u"]           # next to the editor's key
"pick" = ["space", "x"]
"filter" = ["/", "ctrl+g"]
"send all that failed again" = ["R", "f7"]

[themes.sea.dark]
accent = "#5fd7ff"
line = "#3a6a80"

[local]
addr = "127.0.0.1:7855"
max_size = 20000000

[local.transformations]
card = "w-400,h-300"

[webhook]
listen = "127.0.0.1:7854"
TOML
sed -i 's/^# theme = "auto"/theme = "sea" # the quiet one/; s/^# concurrency = 6/concurrency = 3/' .mediadesk/config.toml

# The local library, with commands. One process serves it for longer than the pause between two snapshots.
mediadesk serve --addr 127.0.0.1:7855 >/dev/null 2>&1 &
server=$!
began=$(date +%s)
until_true curl -s http://127.0.0.1:7855/
local_key=$(cat .mediadesk/data/library/key)
field() { curl -fsS -u "$local_key:" -H 'Content-Type: application/json' -d "$1" http://127.0.0.1:7855/v1/customMetadataFields; }
field '{"name":"price","label":"Price","schema":{"type":"Number","minValue":1}}'
field '{"name":"season","label":"Season","schema":{"type":"SingleSelect","selectOptions":["winter","summer"]}}'
up() { mediadesk upload --unique off "$@"; }
up pictures/harbour.jpg --folder /summer/ --tags sea,boat --region 10,20,300,200 --metadata '{"price":12,"season":"summer"}' --description 'The harbor at noon'
up pictures/mug.jpg --folder /summer/ --private --tags cup
up pictures/holiday --folder /trip/ --tags trip
up pictures/tides.txt pictures/flag.svg pictures/paper.pdf --folder /papers/
up pictures/logo.png --folder /versions/ --tags first
mkdir pictures/newer
cp pictures/holiday/badge.png pictures/newer/logo.png
printf 'more' >>pictures/newer/logo.png
up pictures/newer/logo.png --folder /versions/ --tags second
up pictures/mug.jpg --name logo.png --folder /versions/ --tags third
mediadesk upload pictures/orbit.gif --tags turning
mediadesk upload pictures/tides.txt --name here.txt
mediadesk upload pictures/mug.jpg --unique service --tags suffixed
up pictures/mug.jpg --name cut.jpg --folder /cut/ --extension remove-bg --wait
up pictures/harbour.jpg --name tagged.jpg --folder /cut/ --extension '{"name":"google-auto-tagging","maxTags":3,"minConfidence":0}' --wait
up pictures/flag.svg --name flag-cut.svg --folder /cut/ --extension remove-bg --wait || true
up pictures/tides.txt --folder /papers/ --overwrite-file=false || true # refused
printf 'from standard input\n' | up - --name piped.txt --folder /papers/
up pictures/tides.txt --name gone.txt --folder /papers/
mediadesk delete "$(id local /papers/gone.txt)" --yes
mediadesk rename "$(id local /trip/turn.gif)" turned.gif
curl -fsS -u "$local_key:" -H 'Content-Type: application/json' -d '{"folderName":"empty","parentFolderPath":"/"}' http://127.0.0.1:7855/v1/folder

# Changes that can be undone: two on one file, one of them undone; one on two files at once.
harbour=$(id local /summer/harbour.jpg)
mediadesk details $harbour --add-tags wind
mediadesk details $harbour --region 1,2,30,40 --remove-tags boat
mediadesk details $harbour --metadata '{"price":99}'
mediadesk details $harbour --undo
mediadesk details "$(id local /trip/sea.jpg)" "$(id local /trip/badge.png)" --add-tags both

# An unsent form with input from an editor, and a preset from it. The screens are killed.
cat >bin/editor <<'SH'
#!/bin/sh
sed -i -e 's/^naming =.*/naming = off/' -e 's/^folder =.*/folder = \/draft\//' -e 's/^description =.*/description = Not sent yet/' \
  -e 's/^tags =.*/tags = drafted,later/' -e 's/^region =.*/region = 5,6,70,80/' -e 's/^overwriteFile =.*/overwriteFile = off/' \
  -e 's/^customMetadata =.*/customMetadata = price = 7/' -e 's/^name = logo.png/name = emblem.png/' "$1"
SH
chmod +x bin/editor
screens pictures/harbour.jpg pictures/logo.png
await 'Tray: 2 files'
keys u
await 'Stored as'
keys C-o
await 'drafted'
keys C-p
await 'no preset'
keys s
sleep 1
keys -l evening
keys Enter
until_true shows evening
keys Escape
sleep 3 # it is kept by then
guard=$(tmux display -p '#{pane_pid}')
kill -9 $(pgrep -P "$guard") "$guard"
sleep 1

# The account lab, whose service fails on purpose.
export MEDIADESK_PRIVATE_KEY=private_lab_key
lab() { # lab FLAG…: the service of the account anew
  [ -z "${lab:-}" ] || { kill -9 "$lab"; wait "$lab" 2>/dev/null || true; }
  mediadesk serve --addr 127.0.0.1:7853 --data $ada/lab "$@" >/dev/null 2>&1 &
  lab=$!
  until_true curl -s http://127.0.0.1:7853/
}
send="mediadesk --profile lab upload"
lab
$send pictures/logo.png --unique off --tags kept
$send pictures/logo.png --unique off --overwrite-file=false || true # refused
$send pictures/mug.jpg --name mug-cut.jpg --unique off --extension remove-bg --wait
lab --fault extensions=fail
$send pictures/mug.jpg --name mug-failed.jpg --unique off --extension remove-bg --wait || true
lab --fault refuse=401
$send pictures/tides.txt --name forbidden.txt || true # refused

# From here on the runs of lab never end.
lab --fault extensions=pending
$send pictures/mug.jpg --name mug-pending.jpg --unique off --extension remove-bg

# Unmatched webhooks.
mediadesk --profile lab watch --timeout 8s &
watch=$!
until_true curl -s http://127.0.0.1:7854/
token=$(printf 'A%.0s' $(seq 43))
curl -s -d '{"service":"remove-bg","status":"SUCCESS","fileObject":{"fileId":"65f1c0ffee65f1c0ffee65f1"}}' http://127.0.0.1:7854/hook/$token || true
wait $watch || true

# Nothing listens: unsent.
kill -9 $lab
wait $lab 2>/dev/null || true
lab=
$send pictures/tides.txt --name unsent.txt || true

# The service stores files without answering: unknown. The journal knows only attempts of four of them.
# Sending the last two again would store them twice.
lab --fault extensions=pending --fault answers=lost
$send pictures/tides.txt --name unknown.txt --unique service || true
lab --fault extensions=pending --fault answers=lost --fault delay=2s
$send pictures/open-1.txt pictures/open-2.txt --concurrency 2 & some=$!
$send pictures/open-3.txt --unique service & some="$some $!"
$send pictures/open-0.txt --unique off & some="$some $!"
until_true says 2 '"outcome":"(waiting|sending)".*"attempts":2'
kill -9 $some

# The service does not answer: one upload to cancel, and others under way or queued.
lab --fault extensions=pending --fault delay=1h
$send pictures/open-tape.bin pictures/open-9.txt --concurrency 1 &
one=$!
until_true says 1 'open-9.txt","outcome":"waiting"'
kill -9 $one
lab --fault extensions=pending
mediadesk --profile lab uploads "$(uploads | grep -F open-9.txt | sed 's/^{"number":\([0-9]*\).*/\1/')" --cancel
lab --fault extensions=pending --fault delay=1h
$send pictures/open-4.txt --unique off & all=$!
$send pictures/open-8.txt --unique service & all="$all $!"
$send pictures/logo.png --name open-logo.png --unique here --extension remove-bg & all="$all $!"
$send - --name piped.txt <<<spooled & all="$all $!"
$send pictures/open-5.txt pictures/open-6.txt pictures/open-7.txt --concurrency 1 & all="$all $!"
until_true says 5 '"outcome":"sending"'
until_true says 7 '"outcome":"(sending|waiting)"'
sleep 1
kill -9 $all
kill -9 $lab
unset MEDIADESK_PRIVATE_KEY

# A snapshot of the library, then a run of the local library that stays pending.
until_true test -e .mediadesk/data/library/library.db.snapshot # made after five minutes
kill -9 $server
mediadesk serve --addr 127.0.0.1:7855 --fault extensions=pending >/dev/null 2>&1 &
server=$!
until_true curl -s http://127.0.0.1:7855/
up pictures/mug.jpg --name pending.jpg --folder /cut/ --extension remove-bg
kill -9 $server
sleep 1

# Stored files do not need their sources.
rm -r bin pictures/holiday pictures/newer .mediadesk/cache
tar -C /home --sort=name --owner=0 --group=0 --numeric-owner -cf - ada | gzip -9n >"$here/home.tar.gz"

# What 0.1 prints about this home.
program() { "$program" "$@"; }
program list / --json >"$work/top"
{
  cat "$work/top"
  grep -F '"type":"folder"' "$work/top" | sed 's/.*"folderPath":"\([^"]*\)".*/\1/' | while read -r folder; do program list "$folder" --json; done
} >"$here/library.jsonl"
program uploads --json --limit 0 >"$here/uploads.jsonl"
MEDIADESK_PRIVATE_KEY=private_lab_key program --profile lab uploads --json --limit 0 >>"$here/uploads.jsonl"
# The contents, except for the file whose background is being removed.
grep -F '"filePath"' "$here/library.jsonl" | grep -vF /cut/pending.jpg | sed 's/.*"fileId":"\([^"]*\)".*"filePath":"\([^"]*\)".*/\1 \2/' | while read -r id file; do
  mkdir "$work/$id"
  program download "$id" --to "$work/$id" >/dev/null
  echo "$(sha256sum <"$work/$id/$(basename "$file")" | cut -d' ' -f1)  $file"
done >"$here/contents.sha256"
rm -r $ada
ls -l "$here"

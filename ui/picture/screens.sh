#!/bin/sh
# The picker, a popup over it, the picker again, a contact sheet, the page of the
# terminal's abilities and the terminal afterwards, in a real terminal under a virtual
# display, as PNGs to look at. Then it says what is on them: pixels or glyphs, and
# whether something is left over after the popup and after the end.
#   sh ui/picture/screens.sh OUT [TERMINAL…]     terminals: kitty, kitty-tmux, konsole, xterm, mlterm, foot,
#                                                    xtermjs, xtermjs-iterm
# Real pictures need kitty 0.28 or later; SCREENS_KITTY names one that is not the
# kitty of the PATH. foot runs in weston, in a window of its own;
# xterm.js with its image addon in Chromium, with sixel or the protocol of iTerm2, that also
# through tmux.
# Needs Xvfb, xdotool, import (ImageMagick) and the terminals; those that are
# missing are left out, and say so.
set -eu
out=$1
shift
[ $# -gt 0 ] || set -- kitty kitty-tmux konsole xterm mlterm foot xtermjs xtermjs-iterm
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
server=
weston=
page=
failed=
# The processes that a browser started write for a moment after it has ended.
trap 'kill $server $weston $page 2>/dev/null || true; until rm -rf "$work" 2>/dev/null; do sleep 0.1; done' EXIT
go build -o "$work/mediadesk" .
go build -o "$work/shots" ./ui/picture/testdata/shots
mkdir "$work/pictures"
cp assets/sample/* "$work/pictures/"
printf 'set -g allow-passthrough on\nset -g status off\nset -g escape-time 0\n' >"$work/tmux.conf"
export MEDIADESK_HOME="$work/home" LIBGL_ALWAYS_SOFTWARE=1 DISPLAY="${SCREENS_DISPLAY:-:87}" LANG=C.UTF-8 QT_QPA_PLATFORM=xcb
unset TMUX WAYLAND_DISPLAY || true
Xvfb "$DISPLAY" -r -screen 0 1200x800x24 -fbdir "$work" >/dev/null 2>&1 &
server=$!
until xdotool getmouselocation >/dev/null 2>&1; do sleep 0.1; done
kitty=${SCREENS_KITTY:-kitty}
command -v "$kitty" >/dev/null && "$kitty" --version
in_kitty="$kitty -o linux_display_server=x11 -o initial_window_width=1180 -o initial_window_height=780 -o remember_window_size=no -o font_size=9"
# run keeps the terminal open when the program has ended.
printf '#!/bin/sh\n"%s/mediadesk" "%s/pictures"\nexec cat\n' "$work" "$work" >"$work/run"
chmod +x "$work/run"
# leave_out goes on without a terminal, unless all of them are required.
leave_out() {
	echo "$1: left out"
	[ "${MEDIADESK_TEST_REQUIRE:-}" != all ] || failed="$failed $name"
}
press() { xdotool key "$1"; }
# region opens the form and the region editor, and drags a region with the mouse.
region() {
	press u && see changed && press Down && press Down && press Return && see region && press Return && see changed &&
		xdotool mousemove 300 300 mousedown 1 mousemove 340 330 mousemove 380 360 mouseup 1 && see frame &&
		press Escape && see changed && press Escape && see after
}
# see takes screenshots until nothing changes any more and the screen is as it should be,
# or another one than it saw before.
see() {
	shot="$out/$name-$1.png"
	before=
	reference=picker
	[ "$1" != more ] || reference=changed
	deadline=$(($(date +%s) + 180))
	until
		now=$(cksum "$work/Xvfb_screen0")
		[ "$now" = "$before" ] && { { [ "$1" != changed ] && [ "$1" != frame ]; } || [ "$now" != "$shown" ]; } &&
			import -window root "$shot" && "$work/shots" "$1" "$shot" "$out/$name-$reference.png"
	do
		before=$now
		[ "$(date +%s)" -lt $deadline ] || { echo "$shot is not as it should be"; return 1; }
		sleep 0.2
	done
	shown=$now
}
terminals=$*
for name in $terminals; do
	program=${name%%-*}
	[ $program = kitty ] && program=$kitty
	[ $program = xtermjs ] && program=chromium
	command -v "$program" >/dev/null || { leave_out "$name is not installed"; continue; }
	rm -rf "$work/home"
	mkdir "$work/home"
	cp config/default.toml "$work/home/config.toml"
	case $name in
	kitty) start="$in_kitty" ;;
	kitty-tmux) start="$in_kitty tmux -L screens$$ -f $work/tmux.conf new" ;;
	mlterm) start="mlterm -g 150x50 -e" ;;
	xtermjs*)
		if [ ! -d "$work/package" ]; then
			mkdir -p "$work/package/xterm" "$work/package/addon-image"
			(cd "$work" && npm pack --silent @xterm/xterm@6.0.0 @xterm/addon-image@0.9.0 >/dev/null 2>&1 &&
				tar xzf xterm-xterm-6.0.0.tgz -C package/xterm --strip 1 &&
				tar xzf xterm-addon-image-0.9.0.tgz -C package/addon-image --strip 1) || { leave_out "the packages of xterm.js cannot be had"; continue; }
			go build -o "$work/xtermjs" ./ui/picture/testdata/xtermjs
		fi
		if [ $name != xtermjs ]; then sed -i 's/^# pictures = .*/pictures = "iterm"/' "$work/home/config.toml"; fi
		set -- "$work/mediadesk" "$work/pictures"
		"$work/xtermjs" "$work/package" "$@" >"$work/address" 2>/dev/null &
		page=$!
		until [ -s "$work/address" ]; do sleep 0.1; done
		# Each has a folder: a browser that still ends would take over the window of one in the same folder.
		start="chromium --no-sandbox --test-type --disable-gpu --no-first-run --user-data-dir=$work/chromium-$name --window-position=0,0 --window-size=1200,800 --app=$(cat "$work/address")"
		;;
	foot)
		command -v weston >/dev/null || { leave_out "foot needs weston"; continue; }
		export XDG_RUNTIME_DIR="$work"
		chmod 700 "$work"
		weston --backend=x11-backend.so --shell=kiosk-shell.so --use-pixman --socket=screens --width=1180 --height=780 >/dev/null 2>&1 &
		weston=$!
		until [ -e "$work/screens" ]; do sleep 0.1; done
		start="env WAYLAND_DISPLAY=screens foot"
		;;
	konsole) start="konsole --nofork --hide-menubar --hide-tabbar --geometry 1180x780+0+0 -e" ;;
	xterm) start="xterm -ti vt340 -tn xterm-256color -fa DejaVuSansMono -fs 9 -geometry 150x50 -e" ;;
	*) echo "how to start $name is not known"; continue ;;
	esac
	$start "$work/run" >/dev/null 2>&1 &
	terminal=$!
	{ see picker && press colon && see popup && press Escape && see after && press t && see sheet &&
		press t && see after && press 5 && see settings && press Down && press Down && press Down && see changed &&
		press 1 && see after && region && press q && see end; } || failed="$failed $name"
	tmux -L screens$$ kill-server 2>/dev/null || true
	kill $terminal ${weston:-} ${page:-} 2>/dev/null || true
	wait $terminal 2>/dev/null || true
	rm -f "$work/address"
	weston=
	page=
done
[ -z "$failed" ] || { echo "not as it should be:$failed"; exit 1; }

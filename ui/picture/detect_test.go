package picture

import (
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"mediadesk/api/media/mediatest"
	"mediadesk/config"
	"mediadesk/ui/uitest"
)

// recorded are terminals whose recorded answers are in testdata/terminals, without the
// kernel's report of the cell size.
var recorded = map[string]answering{
	"kitty 0.41": {
		want: Abilities{Method: MethodKitty, Cell: image.Pt(9, 18)},
	},
	"kitty 0.41 in tmux 3.5a": {
		env:   map[string]string{"TMUX": "/tmp/tmux-0/default,1,0"},
		want:  Abilities{Method: MethodKitty, Cell: image.Pt(9, 18)},
		sixel: true,
	},
	"kitty 0.41 in tmux without passthrough": {
		env:   map[string]string{"TMUX": "/tmp/tmux-0/default,1,0"},
		want:  Abilities{Cell: image.Pt(9, 18)},
		sixel: true,
	},
	"kitty 0.26": {
		want: Abilities{Method: MethodDirect, Cell: image.Pt(9, 18)},
	},
	"kitty 0.26 in tmux 3.3a": {
		env: map[string]string{"TMUX": "/tmp/tmux-0/default,1,0"},
	},
	"Konsole 25.04": {
		want:  Abilities{Method: MethodDirect, Cell: image.Pt(7, 14)},
		sixel: true,
	},
	"Konsole 22.12": {
		want:  Abilities{Method: MethodDirect, Cell: image.Pt(8, 17)},
		sixel: true,
	},
	"foot 1.21": {
		want:  Abilities{Method: MethodSixel, Cell: image.Pt(6, 13)},
		sixel: true,
	},
	"xterm 398": {
		want: Abilities{},
	},
	"xterm 398 as vt340": {
		want:  Abilities{},
		sixel: true,
	},
	"mlterm 3.9": {
		want:  Abilities{Method: MethodSixel, Cell: image.Pt(10, 19)},
		sixel: true,
	},
	"VTE 0.70": {
		want: Abilities{Cell: image.Pt(10, 19)},
	},
	"Alacritty 0.11": {
		want: Abilities{Cell: image.Pt(9, 18)},
	},
	"st 0.9": {},
}

// composed are hand-made answers for cases that no available terminal has.
var composed = map[string]answering{
	"iTerm2 in tmux": {
		env:     map[string]string{"TMUX": "/tmp/tmux-0/default,1,0"},
		answers: "\x1bP>|tmux 3.5a\x1b\\\x1b[6;16;8t\x1b[3;5R\x1b[?1;2c\x1bP>|iTerm2 3.6.0\x1b\\",
		want:    Abilities{Cell: image.Pt(8, 16)}, // tmux does not know these pictures
	},
	"tmux in a terminal that says OK": {
		env:     map[string]string{"TMUX": "x"},
		cells:   image.Pt(100, 30),
		answers: "\x1bP>|tmux 3.5a\x1b\\\x1b[6;16;8t\x1b[3;5R\x1b[?1;2c\x1bP>|Konsole 25.04.2\x1b\\\x1b_Gi=4194304000;OK\x1b\\",
		want:    Abilities{Cell: image.Pt(8, 16)},
	},
	"a terminal that says OK and cannot": { // the cursor has moved
		cells:   image.Pt(100, 30),
		answers: "\x1bP>|kitty(0.26.5)\x1b\\\x1b[6;16;8t\x1b_Gi=4194304000;OK\x1b\\\x1b[3;7R\x1b[?62;c",
		want:    Abilities{Cell: image.Pt(8, 16)},
	},
	"a terminal that refuses": {
		cells:   image.Pt(100, 30),
		answers: "\x1bP>|other 1.0\x1b\\\x1b[6;16;8t\x1b_Gi=4194304000;EINVAL:no\x1b\\\x1b[3;5R\x1b[?62;c",
		want:    Abilities{Cell: image.Pt(8, 16)},
	},
}

// answering is a terminal with its answers and what follows from them.
type answering struct {
	env     map[string]string
	cells   image.Point
	answers string
	want    Abilities // without Findings
	sixel   bool
}

// recording reads the recorded answers of a terminal.
func recording(t testing.TB, name string) answering {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "terminals", name+".txt"))
	must(t, err)
	r := recorded[name]
	size, quoted, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	_, err = fmt.Sscan(size, &r.cells.X, &r.cells.Y)
	must(t, err)
	r.answers, err = strconv.Unquote(quoted)
	must(t, err)
	return r
}

// answers returns the answers of a recorded terminal.
func answers(t testing.TB, name string) string { return recording(t, name).answers }

func TestRecordedTerminals(t *testing.T) {
	all := maps.Clone(composed)
	for name := range recorded {
		all[name] = recording(t, name)
	}
	found, err := os.ReadDir(filepath.Join("testdata", "terminals"))
	must(t, err)
	if len(found) != len(recorded) {
		t.Errorf("%d terminals were recorded, %d are tried", len(found), len(recorded))
	}
	for name, r := range all {
		// The answers may arrive in any pieces.
		for _, piece := range []int{1, 3, 17, 1 << 20} {
			d := NewDetector(config.PicturesAuto, func(key string) string { return r.env[key] })
			d.resized(r.cells)
			d.Query()
			feed(d, r.answers, piece)
			if !d.fenced {
				t.Fatalf("%s: the fence was not seen", name)
			}
			d.TimedOut()
			got := d.Abilities()
			mediatest.Equal(t, d.sixel, r.sixel, "%s: sixel", name)
			got.Report = Report{}
			mediatest.Equal(t, got, r.want, "%s in pieces of %d", name, piece)
		}
	}
}

// feed reads answers as Bubble Tea does, in pieces.
func feed(d *Detector, answers string, piece int) {
	var decoder uv.EventDecoder
	have := ""
	for answers != "" || have != "" {
		n := min(piece, len(answers))
		have, answers = have+answers[:n], answers[n:]
		for have != "" {
			n, event := decoder.Decode([]byte(have))
			// What looks like a key may be the beginning of a longer sequence.
			if n <= 0 || n >= len(have) && answers != "" {
				break
			}
			have = have[n:]
			several, ok := event.(uv.MultiEvent)
			if !ok {
				several = uv.MultiEvent{event}
			}
			for _, e := range several {
				d.Update(e)
			}
		}
		if answers == "" && n == 0 {
			return
		}
	}
}

func TestTerminalsThatAreNotAsked(t *testing.T) {
	for _, env := range []map[string]string{
		{"TERM": "dumb"},
		{"TERM": "linux"},
		{"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"},
		{"TERM": "screen.xterm", "STY": "1.x"},
		{"TERM": "screen-256color"},
	} {
		d := NewDetector(config.PicturesAuto, func(key string) string { return env[key] })
		if q := d.Query(); q != "" || d.Abilities().Method != MethodBlocks {
			t.Errorf("%v is asked %q", env, q)
		}
	}
	// tmux calls itself screen too, and answers queries.
	d := NewDetector(config.PicturesAuto, func(key string) string {
		return map[string]string{"TERM": "screen-256color", "TMUX": "x"}[key]
	})
	uitest.Shows(t, d.Query(), "\x1bPtmux;\x1b\x1b_G")
}

func TestNothingIsClaimedBeforeTheAnswers(t *testing.T) {
	d := NewDetector(config.PicturesAuto, nil)
	d.Query()
	if a := d.Abilities(); a.Method != MethodBlocks || a.Cell != (image.Point{}) {
		t.Errorf("%+v", a)
	}
	// A terminal that never answers is given up. A late answer still counts.
	d.TimedOut()
	uitest.Shows(t, d.Abilities().Report.Drawing, "has none of the protocols")
	d.resized(image.Pt(168, 52))
	feed(d, answers(t, "kitty 0.41"), 1<<20)
	mediatest.Equal(t, d.Abilities().Method, MethodKitty, "late answers do not count")
}

func TestSettingOverridesWhatWasFound(t *testing.T) {
	kitty := answers(t, "kitty 0.41")
	foot := answers(t, "foot 1.21")
	for _, c := range []struct {
		setting config.Pictures
		answers string
		want    Method
	}{
		{config.PicturesOff, kitty, MethodOff},
		{config.PicturesBlocks, kitty, MethodBlocks},
		{config.PicturesSixel, kitty, MethodSixel},
		{config.PicturesITerm, kitty, MethodInline},
		{config.PicturesKitty, foot, MethodKitty},
		{config.PicturesKitty, "", MethodBlocks},
		{"nonsense", kitty, MethodKitty},
	} {
		d := NewDetector(c.setting, nil)
		d.resized(image.Pt(100, 30))
		d.Query()
		feed(d, c.answers, 1<<20)
		if got := d.Abilities(); got.Method != c.want || got.Report.Drawing == "" {
			t.Errorf("%s: %v, %s", c.setting, got.Method, got.Report.Drawing)
		}
	}
}

// TestSizeOfACell: the size of a cell comes from the kernel, else from the report of the cell, else
// from the report of the window.
func TestSizeOfACell(t *testing.T) {
	d := NewDetector(config.PicturesAuto, nil)
	d.resized(image.Pt(100, 50))
	for _, step := range []struct {
		msg  any
		want image.Point
	}{
		{uv.PixelSizeEvent{Width: 900, Height: 1000}, image.Pt(9, 20)},
		{uv.CellSizeEvent{Width: 8, Height: 16}, image.Pt(8, 16)},
		{uv.PixelSizeEvent{Width: 900, Height: 1000}, image.Pt(8, 16)},
		{uv.CellSizeEvent{Width: 0, Height: 0}, image.Pt(8, 16)},
		{WindowPixels{Cells: image.Pt(100, 50), Pixels: image.Pt(1000, 1050)}, image.Pt(10, 21)},
		{uv.CellSizeEvent{Width: 8, Height: 16}, image.Pt(10, 21)},
		{WindowPixels{Cells: image.Pt(100, 50)}, image.Pt(10, 21)},
		{WindowPixels{Cells: image.Pt(50, 25), Pixels: image.Pt(1000, 1050)}, image.Pt(20, 42)},
	} {
		d.Update(step.msg)
		mediatest.Equal(t, d.Abilities().Cell, step.want, "after %+v a cell", step.msg)
	}
}

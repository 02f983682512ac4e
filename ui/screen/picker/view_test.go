package picker

import (
	"image"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// hostile are names that do harm if they are drawn unchanged.
var hostile = []string{
	"red\x1b[31m\x1b]0;title\x07.jpg", "tab\tnewline\n.txt", "\xff\xfe\xc3.png", "\u202egpj.exe", "zero\u200bwidth.gif",
	"写真アルバム写真アルバム写真アルバム写真アルバム写真アルバム.jpeg", "день 1 — naïve (final).txt",
	"👨‍👩‍👧‍👦🏳️‍🌈🇩🇪.webp", "e" + strings.Repeat("\u0301", 40) + ".jpg", strings.Repeat("long ", 40) + ".tiff", "हिन्दी नाम.jpg", "\u0301lonely.jpg",
	"<b>&amp;.svg", "'\"`$(x).sh", "-rf", "~", " ", strings.Repeat("w", 250),
}

func TestEverySizeAndTheme(t *testing.T) {
	dir := folder(t, append([]string{"sub/写真/x.jpg", "\x1b[2Jfolder/"}, hostile...)...)
	states := map[string]func(*fixture){
		"list":       func(*fixture) {},
		"hidden":     func(d *fixture) { d.Press(".") },
		"filter":     func(d *fixture) { d.Press("/", "写", "j") },
		"found":      func(d *fixture) { d.Press("/", "w", "enter") },
		"none found": func(d *fixture) { d.Press("/", "q", "q", "q") },
		"all picked": func(d *fixture) { d.Press("ctrl+a", "G") },
		"tray":       func(d *fixture) { d.Press("ctrl+a", "tab", "j", "j") },
		"range":      func(d *fixture) { d.Press("v", "G") },
		"address": func(d *fixture) {
			d.Press("a")
			d.Send(tea.PasteMsg{Content: "https://例え.example/" + strings.Repeat("写", 100)})
		},
		"menu": func(d *fixture) { d.Press(",") },
		"no folder": func(d *fixture) {
			*d = *start(d.t, Options{Folder: "/\x1b[31m" + strings.Repeat("x", 300)})
			d.Sees("cannot be read")
		},
		"URL picked": func(d *fixture) {
			d.Send(tea.PasteMsg{Content: "https://example.com/\u202e" + strings.Repeat("x", 300)})
			d.Press("tab")
		},
		"no preview": func(d *fixture) { d.Press("p") },
	}
	for name, prepare := range states {
		t.Run(name, func(t *testing.T) {
			d := start(t, Options{Folder: dir, Preview: true, Loader: picture.NewLoader()})
			prepare(d)
			for _, key := range []string{"", "end"} {
				if key != "" {
					d.Press(key)
				}
				uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
					view := d.m.View(image.Pt(w, h), th)
					mediatest.Equal(t, kit.Size(view), image.Pt(w, h), "at %dx%d the view", w, h)
					return view
				})
			}
		})
	}
	mediatest.Equal(t, New(Options{}).View(image.Pt(0, 0), theme.New(true, true)), "",
		"no cells hold something")
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return New(Options{}).View(image.Pt(w, h), th) })
}

// TestCursorRowIsOnePiece: all cells of the row under the cursor have its background.
func TestCursorRowIsOnePiece(t *testing.T) {
	d := start(t, Options{Folder: folder(t, "写真 IMG.jpg", "b.txt")})
	d.Press("/", "i", "m", "enter", "space")
	for _, color := range []bool{true, false} {
		th := theme.New(true, color)
		buf := uv.NewScreenBuffer(d.Size.X, d.Size.Y)
		uv.NewStyledString(d.m.View(d.Size, th)).Draw(buf, buf.Bounds())
		y := d.Find("写真").Y
		first := buf.CellAt(1, y).Style
		for x := 1; x < d.Size.X-1; x++ {
			c := buf.CellAt(x, y)
			if c.Width == 0 {
				continue // the second half of a wide character
			}
			if c.Style.Bg != first.Bg || c.Style.Attrs&uv.AttrReverse != first.Attrs&uv.AttrReverse {
				t.Errorf("color %v: column %d (%q) has another ground", color, x, c.Content)
			}
		}
	}
}

func TestLongNamesKeepTheirEnd(t *testing.T) {
	d := start(t, Options{Folder: folder(t, strings.Repeat("very ", 40)+"long.jpeg")})
	d.Resize(image.Pt(60, 20))
	d.Sees("very very", "long.jpeg")
	d.Press("/", "v", "j", "p", "g")
	d.Sees("very very", "long.jpeg")
}

// reserved are keys that the root or the terminal handles.
var reserved = []string{
	"1", "2", "3", "4", "5", "[", "]", "?", "f1", ":", "ctrl+k", "q", "ctrl+c", "ctrl+z", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+[",
}

func TestKeysAreListedOnce(t *testing.T) {
	for part, actions := range New(Options{}).Catalog() {
		seen := map[string]string{}
		for _, a := range actions {
			if a.Label() == "" || a.Group == "" || a.ID == "" {
				t.Errorf("%s: an action without ID, words or group: %v", part, a.Keys.Keys())
			}
			for _, k := range a.Keys.Keys() {
				if seen[k] != "" {
					t.Errorf("%s: %s is %q and %q", part, k, seen[k], a.Label())
				}
				seen[k] = a.Label()
				if slices.Contains(reserved, k) && (part != "picture" || !strings.Contains("q12345", k)) {
					t.Errorf("%s: %s is not the picker's (%s)", part, k, a.Label())
				}
			}
		}
		if part != "" {
			continue
		}
		for _, k := range strings.Fields("up down j k left h backspace right l enter g G home end pgup pgdown ctrl+b ctrl+f ctrl+u ctrl+d " +
			"space v ctrl+a * esc / n N tab shift+tab u p . , y z a c") {
			if seen[k] == "" {
				t.Errorf("%s does nothing", k)
			}
		}
	}
}

// TestActions: every state offers its actions, and disabled ones have a reason.
func TestActions(t *testing.T) {
	reason := func(d *fixture, key string) string {
		d.t.Helper()
		for _, a := range d.m.Actions() {
			if slices.Contains(a.Keys.Keys(), key) {
				return a.Reason()
			}
		}
		d.t.Errorf("no action has the key %s", key)
		return ""
	}
	d := start(t, Options{Folder: folder(t)})
	for _, k := range []string{"space", "enter", "v", "ctrl+a", "*", "esc", "n", "u", "tab", "z"} {
		if reason(d, k) == "" {
			t.Errorf("%s is offered in an empty folder with an empty tray", k)
		}
		d.toasts()
		d.Press(k)
		if len(d.toasts()) != 1 && k != "esc" {
			t.Errorf("%s does nothing and has no reason", k)
		}
	}
	d = start(t, Options{Folder: folder(t, "a.jpg", "b.jpg")})
	mediatest.Equal(t, d.m.Actions()[0].Label(), "pick", "first action")
	d.Press("space")
	mediatest.Equal(t, d.m.Actions()[0].Label(), "upload 1 file", "first action")
	for _, k := range []string{"space", "enter", "v", "ctrl+a", "*", "D", "u", "tab"} {
		mediatest.Equal(t, reason(d, k), "", "%s", k)
	}
	hints := ansi.Strip(kit.Hints(d.m.Actions(), 100, theme.New(true, true)))
	if !strings.HasPrefix(hints, " u upload 1 file    space pick   enter/→ upload form") {
		t.Errorf("hints: %q", hints)
	}
}

// TestTrayKeepsNamesWhole: a column of the tray is no wider than what it holds, and names get the rest.
func TestTrayKeepsNamesWhole(t *testing.T) {
	const name = "studio portrait with two softboxes, 2026-05-01 final.jpg"
	dir := folder(t, name)
	d := start(t, Options{Folder: dir})
	d.Press("space")
	for _, width := range []int{118, 80} {
		d.Resize(image.Pt(width, 24))
		lines, _ := d.Box("To upload")
		uitest.Shows(t, strings.Join(lines, "\n"), name, "▾ "+dir)
	}
}

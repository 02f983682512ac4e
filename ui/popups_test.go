package ui

import (
	"context"
	"image"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/assets"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// popups are what can be over a screen: how each is opened, what it shows, and how it is closed.
// Afterwards the cursor of the screen is where it was.
var popups = []struct {
	name, words string
	open, shut  func(term *uitest.Term)
	over        string // the screen; empty for every screen
}{
	{"help", "type to search", pressing("?"), pressing("esc"), ""},
	{"palette", "type to search", pressing("ctrl+k"), pressing("esc"), ""},
	{"dialog", "One is there already.", sending(page.Ask{
		Title: "Send 2 files to /summer/?", Text: "One is there already.",
		Choices: []page.Choice{{Label: "Not yet", Key: "n"}, {Label: "Send 2 files to /summer/", Key: "s"}},
	}), pressing("esc"), ""},
	{"messages", "─ Messages ─", func(term *uitest.Term) {
		term.Send(page.Toast{Level: page.Bad, Text: "This is a message. " + strings.Repeat("It goes on and on. ", 90)})
		term.Press("!")
	}, pressing("esc"), ""},
	{"menu", "reverse the order", pressing(","), pressing("esc"), "picker"},
	{"menu", "─ Copy from ", pressing("y"), pressing("esc"), "details"},
}

func pressing(key string) func(*uitest.Term) { return func(term *uitest.Term) { term.Press(key) } }
func sending(msg any) func(*uitest.Term)     { return func(term *uitest.Term) { term.Send(msg) } }

// TestPopupsOverRealPictures opens every popup while the virtual terminal shows real pictures.
func TestPopupsOverRealPictures(t *testing.T) {
	t.Parallel()
	d := openSession(t)
	dir := t.TempDir()
	must(t, assets.WriteSamples(dir))
	file, err := d.Client.Upload(t.Context(), &api.Upload{
		Source: api.Source{Path: dir + "/mug.jpg"}, FileName: "mug.jpg", CustomCoordinates: api.Set("200,200,400,400"),
	}, nil)
	must(t, err)
	paths := config.FindPaths(func(string) string { return t.TempDir() })
	must(t, paths.Make())
	seen := ""
	for _, tip := range screens {
		seen += tip.Name + "\n"
	}
	must(t, os.WriteFile(paths.State+"/tips", []byte(seen), 0o600))
	var passed atomic.Int64 // dialogs ignore keys at first, so the clock has to advance
	m := New(Options{
		Paths: paths, Keys: &config.Keys{}, Folder: dir, Pictures: config.PicturesKitty,
		Now:  func() time.Time { return noon.Add(time.Duration(passed.Load())) },
		Open: func(context.Context, string, api.Key) (*session.Session, error) { return d, nil },
	})
	term := uitest.Start(t, m, 120, 36)
	defer func() {
		term.Quit()
		m.stop()
	}()
	term.Send(uv.CellSizeEvent{Width: 10, Height: 20})
	term.WaitFor("mug.jpg")
	term.Press("j") // a picture without an embedded preview; a preview would be drawn first
	term.WaitFor("· PNG ·")
	var before []string
	for _, screen := range []string{"picker", "details"} {
		if screen == "details" {
			term.Send(page.Inspect{Files: []api.File{*file}})
			term.WaitFor("c edit region")
		}
		sizes := []image.Point{{120, 36}, {80, 24}}
		if screen == "details" {
			sizes[1] = image.Pt(104, 30) // stacked panes show no picture beside the list
		}
		for _, size := range sizes[:mediatest.Rounds(1, 2)] {
			term.Resize(size.X, size.Y)
			pictures := 1
			if screen == "details" {
				pictures = 3 // the dark picture and the frame, too
			}
			before = pictured(term, size, before, pictures)
			for _, p := range popups {
				if p.over != "" && p.over != screen {
					continue
				}
				t.Logf("%s over the %s at %v", p.name, screen, size)
				p.open(term)
				term.WaitUntil(func(text string) bool {
					if !strings.Contains(text, p.words) {
						return false
					}
					for i, cell := range cellsOf(text, size) {
						if isPicture(cell) && cell != before[i] {
							return false
						}
					}
					return true
				})
				if p.name == "dialog" {
					passed.Add(int64(kit.DialogDelay))
				}
				p.shut(term)
				term.WaitUntil(func(text string) bool { return slices.Equal(before, cellsOf(text, size)) })
			}
		}
	}
}

// pictured waits until the screen has that many real pictures at their full size, and none of the
// earlier ones. It returns the cells of the terminal. Each size is transmitted as a new picture.
func pictured(term *uitest.Term, size image.Point, before []string, pictures int) []string {
	gone := map[string]bool{}
	for _, cell := range before {
		gone[pictureNumber(cell)] = true
	}
	var cells []string
	shown := func(text string) bool {
		cells = cellsOf(text, size)
		seen := map[string]bool{}
		for _, cell := range cells {
			if isPicture(cell) {
				seen[pictureNumber(cell)] = true
			}
		}
		return len(seen) == pictures &&
			!slices.ContainsFunc(cells,
				func(cell string) bool { return isPicture(cell) && gone[pictureNumber(cell)] })
	}
	term.WaitUntil(shown)
	// Only a part of them may have come. The hints are drawn last, after help as before it.
	term.Press("f1")
	term.WaitFor("type to search")
	term.Press("esc")
	term.WaitUntil(func(text string) bool {
		return !strings.Contains(text, "type to search") && strings.Contains(text, "? help") && shown(text)
	})
	return cells
}

func isPicture(cell string) bool { return strings.HasPrefix(cell, string(kitty.Placeholder)) }

func pictureNumber(cell string) string {
	if !isPicture(cell) {
		return ""
	}
	_, n := utf8.DecodeLastRuneInString(cell)
	return cell[len(cell)-n:]
}

// cellsOf returns the cells of the terminal row by row, without the last two lines, which have the
// message and the hints.
func cellsOf(screen string, size image.Point) []string {
	buf := uv.NewScreenBuffer(size.X, size.Y)
	uv.NewStyledString(screen).Draw(buf, buf.Bounds())
	var cells []string
	for y := range size.Y - 2 {
		for x := range size.X {
			cells = append(cells, buf.CellAt(x, y).Content)
		}
	}
	return cells
}

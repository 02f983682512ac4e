package details

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

// tagged returns files p1.png, p2.png, … with these comma-separated tags.
func tagged(t *testing.T, tags ...string) []api.File {
	t.Helper()
	files := numbered(t, len(tags))
	for i := range files {
		files[i].Raw, files[i].Tags = nil, api.Set(rule.SplitTags(tags[i]))
	}
	return files
}

// wants returns the tags of all files including the unsaved changes.
func (d *driven) wants() string {
	var out []string
	for _, e := range d.m.Items {
		out = append(out, rule.JoinTags(e.Tags.Or(nil)))
	}
	return strings.Join(out, " | ")
}

// TestTagsOfSeveralFiles: the keys of one file change all opened files. Each tag has the number of
// files with it, and every panel names its files.
func TestTagsOfSeveralFiles(t *testing.T) {
	for keys, want := range map[string]string{
		"":                             "sea,summer | sea | sea,old,long-long-long",
		"w i n d enter":                "sea,summer,wind | sea,wind | sea,old,long-long-long,wind",
		"w i n d ctrl+s":               "sea,summer,wind | sea,wind | sea,old,long-long-long,wind",
		"s u m m e r enter":            "sea,summer | sea,summer | sea,old,long-long-long,summer",
		"s u m m e r ctrl+s":           "sea,summer | sea,summer | sea,old,long-long-long,summer",
		"s e a enter":                  "sea,summer | sea | sea,old,long-long-long",
		"home delete":                  "summer |  | old,long-long-long",
		"left left delete":             "sea,summer | sea | sea,long-long-long",
		"left left enter enter":        "sea,summer,old | sea,old | sea,old,long-long-long",
		"ctrl+x":                       " |  | ",
		"ctrl+x ctrl+x":                "sea,summer | sea | sea,old,long-long-long",
		"o l d backspace backspace x,": "sea,summer,ox | sea,ox | sea,old,long-long-long,ox",
	} {
		files := tagged(t, "sea,summer", "sea", "sea,old,long-long-long")
		d := start(t, newShelf(t, files...).options(files...))
		d.Sees("3 files", " sea  ", "summer ×1")
		d.Press("e")
		d.Press(strings.Fields(strings.ReplaceAll(strings.ReplaceAll(keys, "home", "left left left left"),
			"x,", "x ,"))...)
		mediatest.Equal(t, d.wants(), want, "%q", keys)
	}
}

// TestMarksNarrowChanges: marks limit what is changed. Without marks the current file is changed.
func TestMarksNarrowChanges(t *testing.T) {
	files := tagged(t, "a", "a", "b", "c")
	d := start(t, newShelf(t, files...).options(files...))
	d.Press("shift+tab", "space", "space") // p3 and p4 stay marked
	d.Sees("2 of 4 marked", "b ×1")
	d.Press("e")
	d.Type("new,")
	mediatest.Equal(t, d.wants(), "a | a | b,new | c,new", "marked")
	d.Press("esc", "shift+tab", "/")
	d.Type("p2")
	d.Press("enter", "esc", "enter", "e")
	d.Type("one,")
	mediatest.Equal(t, d.wants(), "a | a,one | b,new | c,new", "shown")
	d.Sees("Not saved: Add the tag “new” to 2 files; Add the tag “one” to 1 file")
}

// TestWholeFilesTogether: deleting, moving and extensions apply to all opened files, and the question
// gives their number.
func TestWholeFilesTogether(t *testing.T) {
	files := numbered(t, 3)
	s := newShelf(t, files...)
	log := &manager{s: s}
	s.Manager = log
	var asked []api.Extension
	s.extend = func(list []api.Extension) (*api.File, error) {
		asked = append(asked, list...)
		return nil, errNone
	}
	d := start(t, s.options(files...))
	d.Press("m", "m", "ctrl+u")
	d.Type("/new")
	d.Press("enter")
	d.Toasted("Moved 3 files to /new/. z undoes it.")
	d.Press("x", "r")
	q := d.Question()
	mediatest.Equal(t, q.Title, "Remove background on 3 files?", "asked")
	d.Choose(q, "Run it")
	d.Toasted("0 of 3 done, 3 failed.")
	mediatest.Equal(t, len(asked), 3, "ran %v", asked)
	d.Press("shift+tab", "down", "space", "m", "d") // p2.png is not marked now
	q = d.Question()
	if q.Title != "Delete 2 files?" || q.Facts[0][1] != "/summer/p1.png, /summer/p3.png" ||
		!q.Choices[1].Danger ||
		slices.ContainsFunc(q.Choices, func(c page.Choice) bool { return c.Default }) {
		t.Errorf("asked %+v", q)
	}
	d.Choose(q, "Delete")
	d.Toasted("Deleted 2 files.")
	if gone := uitest.Taken[page.FileGone](&d.Out); len(gone) != 2 {
		t.Errorf("deleted: %+v", gone)
	}
	d.Sees("p2.png in /summer")
	d.SeesNot("p1.png", "p3.png")
	if got := strings.Join(log.log, "|"); got != "move p1.png /new/|move p2.png /new/|move p3.png /new/|delete p1.png|delete p3.png" {
		t.Errorf("did %s", got)
	}
}

// TestSaveBySecondKey: a second ctrl+s saves changes that one key can undo.
func TestSaveBySecondKey(t *testing.T) {
	for n := range 2 {
		files := numbered(t, n+1)
		d := start(t, newShelf(t, files...).options(files...))
		d.Press("e")
		d.Type("x,")
		d.Press("ctrl+s")
		list := uitest.Taken[page.Ask](&d.Out)
		if n == 0 && len(list) == 0 {
			continue // one file is saved at once
		}
		if q := list[0]; !q.Choices[len(q.Choices)-1].Default {
			t.Errorf("%d files: the default is not to save: %+v", n+1, q)
		}
	}
}

// TestRegionOfSeveralFiles: typed numbers go to all pictures, and the picture editor changes the current one.
func TestRegionOfSeveralFiles(t *testing.T) {
	files := numbered(t, 3)
	files[2].Raw, files[2].CustomCoordinates = nil, api.Set("1,1,9,9")
	path := pngFile(t, 300, 200)
	s := newShelf(t, files...)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, s.options(files...))
	d.Press("down", "down")
	d.Sees("100 × 50 at 10, 20 ×2 · 9 × 9 at 1, 1 ×1")
	d.Press("enter")
	d.Type("5,6,70,80")
	mediatest.Equal(t, d.regions(), "5,6,70,80 5,6,70,80 5,6,70,80", "typed")
	d.Press("enter", "x")
	d.Sees("Region of p1.png")
	mediatest.Equal(t, d.regions(), " 5,6,70,80 5,6,70,80", "on the picture")
	d.Press("ctrl+s", "ctrl+x")
	mediatest.Equal(t, d.regions(), "10,20,100,50 10,20,100,50 1,1,9,9", "taken back")
	d.Press("ctrl+x")
	mediatest.Equal(t, d.regions(), "  ", "removed")
}

func TestSeveralFilesAtEverySize(t *testing.T) {
	files := numbered(t, 12)
	for _, size := range []image.Point{{200, 58}, {120, 34}, {80, 22}, {40, 10}} {
		d := startIn(t, newShelf(t, files...).options(files...), size)
		d.Press("e")
		d.Sees("12 files")
		if size.X >= 80 {
			d.Sees(" sea ")
		}
	}
}

// TestContactSheet: few files are on the contact sheet alone, until their list has the focus.
func TestContactSheet(t *testing.T) {
	files := numbered(t, 3)
	s := newShelf(t, files...)
	path := pngFile(t, 30, 20)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	o := s.options(files...)
	o.Loader = picture.NewLoader()
	d := startIn(t, o, image.Pt(160, 40))
	d.Send(page.Themed{Theme: d.Theme})
	for want := 1; want <= 2; want++ {
		for _, name := range []string{"p1.png", "p2.png", "p3.png"} {
			mediatest.Equal(t, strings.Count(d.Text(), name), want, "on the screen: %s", name)
		}
		d.Press("shift+tab") // to the list
	}
	d.Press("enter")
}

// TestLettersAreTagsOfSeveralFiles: of several files, typing goes to the tags at once.
func TestLettersAreTagsOfSeveralFiles(t *testing.T) {
	files := tagged(t, "a", "b")
	d := start(t, newShelf(t, files...).options(files...))
	d.Send(page.Inspect{Files: files})
	d.Type("new,")
	mediatest.Equal(t, d.wants(), "a,new | b,new", "wants")
}

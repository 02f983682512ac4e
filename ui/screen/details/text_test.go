package details

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/ui/edit"
)

func entriesOf(files ...api.File) []*entry {
	var out []*entry
	for _, f := range files {
		out = append(out, &entry{file: f})
	}
	return out
}

// TestTextThereAndBack: saving the text unchanged in the editor changes nothing, whatever the tags are.
func TestTextThereAndBack(t *testing.T) {
	tag := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "big sea", "-", "[]", "a,b", `say "x"`, "two  blanks", " lead", "#1", "a # b", "写真", "tab\there", "null", "1,2,3,4", `"`, `\`, "\u2028", "\u00a0x"}),
		rapid.StringN(1, 12, -1),
	)
	rapid.Check(t, func(t *rapid.T) {
		var files []api.File
		for i := range rapid.IntRange(1, 6).Draw(t, "files") {
			f := api.File{FileID: strings.Repeat("f", i+1), Name: rapid.String().Draw(t, "name"), FileType: api.KindImage, Width: api.Set(100), Height: api.Set(80)}
			switch rapid.IntRange(0, 2).Draw(t, "tags") {
			case 0:
				f.Tags = api.Null[[]string]()
			case 1:
				f.Tags = api.Set([]string{})
			default:
				f.Tags = api.Set(rapid.SliceOfNDistinct(tag, 1, 5, rapid.ID).Draw(t, "list"))
			}
			f.CustomCoordinates = api.Null[string]()
			if rapid.Bool().Draw(t, "region") {
				f.CustomCoordinates = api.Set("1,2,30,40")
			}
			files = append(files, f)
		}
		entries := entriesOf(files...)
		text := writeText(entries)
		lines, wrong := readText(text, entries)
		if len(wrong) > 0 || len(lines) != len(files) {
			t.Fatalf("%v in\n%s", wrong, text)
		}
		for _, l := range lines {
			if !slices.Equal(l.tags, l.entry.file.Tags.Or(nil)) || l.noTags != l.entry.file.Tags.IsNull() {
				t.Fatalf("tags %q came back as %q in\n%s", l.entry.file.Tags.Or(nil), l.tags, text)
			}
			l.apply()
			if l.entry.changed() {
				t.Fatalf("%+v is changed by\n%s", l.entry.file, text)
			}
		}
	})
}

func TestTextIsRead(t *testing.T) {
	a := api.File{FileID: "f1", FileType: api.KindImage, Width: api.Set(100), Height: api.Set(80), Tags: api.Set([]string{"x"}), CustomCoordinates: api.Set("1,2,3,4")}
	b := a
	b.FileID = "f2"
	doc := api.File{FileID: "f3", FileType: api.KindNonImage, Tags: api.Null[[]string]()}
	for _, c := range []struct{ line, change, wrong string }{
		{"f1  a, b  5,6,7,8  # n", `{"tags":["a","b"],"customCoordinates":"5,6,7,8"}`, ""},
		{"f1\ta,b\t-", `{"tags":["a","b"],"customCoordinates":null}`, ""},
		{"f1  -  1,2,3,4", `{"tags":null}`, ""},
		{"f1  []  1,2,3,4", `{"tags":[]}`, ""},
		{`f1  "a,b", big sea ,c  1, 2, 3, 4`, `{"tags":["a,b","big sea","c"]}`, ""},
		{"  # only a note", `{}`, ""},
		{"f3  x  -", "", ""},
		{"f9  a  -", "", "no file has the ID"},
		{"f1", "", "tags are missing"},
		{"f1  a", "", "region is missing"},
		{"f1  a,,b  -", "", "empty tag"},
		{"f1  a,  -", "", "region is missing"},
		{"f1  a,a  -", "", "twice"},
		{`f1  "a  -`, "", "quotation mark"},
		{"f1  a  5,6,7", "", "four numbers"},
		{"f1  a  50,60,70,80", "", "outside the picture"},
		{"f3  a  1,1,1,1", "", "images only"},
	} {
		entries := entriesOf(a, b, doc)
		lines, wrong := readText("f2  x  1,2,3,4\n"+c.line, entries)
		if c.wrong != "" {
			if len(wrong) != 1 || wrong[0].line != 2 || !strings.Contains(wrong[0].text, c.wrong) {
				t.Errorf("%q: %v, want %q", c.line, wrong, c.wrong)
			}
			continue
		}
		if len(wrong) > 0 {
			t.Errorf("%q: %v", c.line, wrong)
			continue
		}
		for _, l := range lines {
			l.apply()
		}
		if d, err := entries[0].change(); c.change != "" && (err != nil || body(t, d) != c.change) {
			t.Errorf("%q changes %s (%v), want %s", c.line, body(t, d), err, c.change)
		}
	}
	if _, wrong := readText("f1  a  -\nf1  b  -\nf8  c  -", entriesOf(a)); len(wrong) != 2 || wrong[0].line != 2 || wrong[1].line != 3 {
		t.Errorf("not every error is found: %v", wrong)
	}
}

func FuzzReadText(f *testing.F) {
	f.Add("f1  a, b  1,2,3,4")
	f.Add(`f1  "\u0000",  -`)
	f.Fuzz(func(t *testing.T, text string) {
		entries := entriesOf(api.File{FileID: "f1", FileType: api.KindImage})
		lines, _ := readText(text, entries)
		for _, l := range lines {
			l.apply()
			if _, err := l.entry.change(); err != nil {
				t.Fatalf("%q leads to %v", text, err)
			}
		}
	})
}

// TestEditor uses a real editor that changes one line and breaks another.
func TestEditor(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	before := d.m.editorText()
	if !strings.Contains(before, "f1  sea, old  10,20,100,50  # beach.png") {
		t.Fatal(before)
	}
	edited := func(text string) {
		d.m.editing = true
		d.Send(editedMsg{edit.Edited{Before: d.m.editorText(), Text: text}})
	}
	edited(before)
	d.Toasted("Nothing was changed")
	edited("f1  sea,, old  9,9,9")
	q := d.Asked()
	if !strings.Contains(q.Text, "Line 1: empty tag") {
		t.Errorf("asked %+v", q)
	}
	// The text stays until it is dropped.
	if again := d.m.editorText(); again != "f1  sea,, old  9,9,9" {
		t.Errorf("the editor begins with %q, want \"f1  sea,, old  9,9,9\"", again)
	}
	d.Choose(q, "Discard")
	edited("f1  wind  -")
	d.Toasted("1 file changed, not saved yet")
	d.Sees("Tags: +wind, -sea, -old", "-> not set")
}

package upload

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

// TestOptionsAsText checks that options survive the text format, for any number of files.
func TestOptionsAsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sources []*source
		for range rapid.IntRange(1, 3).Draw(t, "files") {
			s := &source{options: options{entry: apitest.DrawEntry(t)}}
			if len(sources) > 0 && rapid.Bool().Draw(t, "mostly the same") {
				s.entry = sources[0].entry
				s.entry.FileName = "other"
			}
			s.entry.Source.Path = "/x/" + rapid.SampledFrom([]string{"a.png", "]\n[2: b].png", "写真.jpg", "# x"}).Draw(t, "file")
			sources = append(sources, s)
		}
		text := writeOptions(sources)
		got, wrong, hard := readOptions(text, sources)
		if hard {
			t.Fatalf("%v\n%s", wrong, text)
		}
		for i, s := range sources {
			var e api.Entry
			for _, f := range api.UploadFields {
				if err := f.SetText(&e, got[i][f]); err != nil {
					t.Fatal(err)
				}
			}
			apitest.SameEntry(t, text, &e, &s.entry)
		}
		// Error messages in the text change nothing.
		again, _, hard := readOptions(withErrors(text, wrong), sources)
		if hard || !slices.EqualFunc(again, got, maps.Equal[optionTexts]) {
			t.Fatalf("the text with errors has another meaning:\n%s", withErrors(text, wrong))
		}
	})
}

func FuzzReadOptions(f *testing.F) {
	src := []*source{{options: startOptions(api.Source{Path: "/x/a.png"}, session.Profile{})}}
	f.Add(writeOptions(src))
	f.Add("[1: a]\nname = \"\\x\"\n\t\n  y\n[9]\n[every file]\n=\n")
	f.Fuzz(func(t *testing.T, text string) {
		values, wrong, hard := readOptions(text, src)
		lines := 1 + strings.Count(text, "\n")
		for _, e := range wrong {
			if e.line < 1 || e.line > lines || e.text == "" {
				t.Fatalf("%q: an error of line %d of %d: %q", text, e.line, lines, e.text)
			}
		}
		if !hard && len(values) != 1 || hard && len(wrong) == 0 {
			t.Fatalf("%q: %d values, %v", text, len(values), wrong)
		}
		withErrors(text, wrong)
	})
}

// TestErrorsByLine checks the line of each error.
func TestErrorsByLine(t *testing.T) {
	at := func(path string) *source {
		return &source{options: startOptions(api.Source{Path: path}, session.Profile{})}
	}
	sources := []*source{at("/a.png"), at("/b.png")}
	for _, c := range []struct {
		text string
		line int
		says string
	}{
		{"nonsense", 1, "no ="},
		{"[every file]\nname = a\n\nnmae = b", 4, `no option "nmae". Did you mean name?`},
		{"overwritefile = on", 1, "Did you mean overwriteFile?"},
		{"zzz = 1", 1, `no option "zzz".`},
		{"name = a\nprivate = maybe", 2, "true or false"},
		{"name = a\nprivate = default", 0, ""},
		{"name = a\nunique = always", 2, "here, service or off"},
		{"name = a\nname = b", 2, "is in line 1 already"},
		{"name = \"a\\q\"", 1, "quotation mark"},
		{"[3: c.png]\nname = a", 1, "There is no file 3"},
		{"[1]\nname = a\n[1]\nname = b", 3, "File 1 has a heading in line 1 already"},
		{"[all]\nname = a", 1, "neither [every file] nor"},
		{"name = a\ntags = 50%", 2, "%"},
		{"name = a\ntags = " + strings.Repeat("x", 501), 2, "501 characters"},
		{"name = a\nfolder = a b", 2, `holds " "`},
		{"name = a\n\nregion = 1,2,3", 3, "four numbers"},
		{"name = a\n\nextensions = {\"name\":\"google-auto-tagging\",\"maxTags\":31}", 3, "0 to 30"},
		{"name = a\nextensions = [{\"name\":\"x\"},\n\t{\"name\":}]", 3, "extensions"},
		{"name = a\nmetadata = brand = Acme\n\tyear\n\tx = 1", 3, "row 2"},
		{"name = a\nmetadata = {\"a\": 1,\n\t\"b\": }", 3, "line 2"},
		{"name = a\n\nwebhook = ftp://x", 3, "webhook"},
		{"[1]\nname = a\n[2]\ntags = %", 4, "%"},
		{"name =", 1, "fileName is missing"},
	} {
		_, wrong, _ := readOptions(c.text, sources)
		found := slices.ContainsFunc(wrong, func(e lineError) bool { return e.line == c.line && strings.Contains(e.text, c.says) })
		if c.line == 0 {
			if len(wrong) > 0 && c.text != "" && !strings.Contains(c.text, "default") {
				t.Errorf("%q: %v", c.text, wrong)
			}
			continue
		}
		if !found {
			t.Errorf("%q: %v; want line %d with %q", c.text, wrong, c.line, c.says)
		}
		marked := strings.Split(withErrors(c.text, wrong), "\n")
		at := slices.IndexFunc(marked, func(l string) bool { return strings.HasPrefix(l, errorMark) && strings.Contains(l, c.says) })
		if at < 0 || at+1 >= len(marked) {
			t.Errorf("%q: the error is not above its line:\n%s", c.text, strings.Join(marked, "\n"))
		}
	}
}

// TestEditedText checks that a valid text goes into its files. A text with errors stays until it is
// fixed, and can be accepted if it only breaks a rule.
func TestEditedText(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{}})
	targets := m.targets()
	before := writeOptions(targets)
	done := func(text string) []any {
		var out []any
		for _, msg := range send(t, m, editedMsg{edit.Edited{Before: before, Text: text}, targets}) {
			out = append(out, msg)
		}
		return out
	}
	done(strings.Replace(before, "\ntags =", "\ntags = sea,写真", 1))
	for i, s := range m.sources {
		if m.says(s, fieldTags) != "sea,写真" {
			t.Errorf("file %d has %q, want \"sea,写真\"", i, m.says(s, fieldTags))
		}
	}
	if got := m.item(fieldTags).value(); got != "sea,写真" {
		t.Errorf("the form shows %q, want \"sea,写真\"", got)
	}
	// asked returns the question about a text with errors.
	asked := func(text string) (q page.Ask) {
		t.Helper()
		for _, msg := range done(text) {
			if ask, ok := msg.(page.Ask); ok {
				q = ask
			}
		}
		return q
	}
	q := asked(strings.Replace(before, "private =", "private = perhaps", 1))
	if !strings.Contains(q.Title, "1 error") || !strings.Contains(q.Text, `private is true or false`) || m.says(m.sources[0], fieldTags) != "sea,写真" {
		t.Fatalf("a text with errors was used: %+v", q)
	}
	if slices.ContainsFunc(q.Choices, func(c page.Choice) bool { return c.Key == "t" }) {
		t.Error("an unreadable text can be accepted")
	}
	if !strings.Contains(m.text, errorMark) {
		t.Errorf("the text is not kept: %q", m.text)
	}
	q = asked(strings.Replace(before, "\ntags =", "\ntags = 50%", 1))
	m.d.Choose(q, "Use it")
	if m.says(m.sources[1], fieldTags) != "50%" || m.text != "" {
		t.Errorf("a text that breaks a rule was not accepted: %q", m.says(m.sources[1], fieldTags))
	}
	q = asked(strings.Replace(before, "private =", "private = perhaps", 1))
	m.d.Choose(q, "Discard")
	if m.text != "" {
		t.Errorf("the text is not discarded: %q", m.text)
	}
	if toast := done(" \n"); len(toast) != 1 {
		t.Errorf("an empty text gave %v", toast)
	}
}

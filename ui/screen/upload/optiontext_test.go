package upload

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/session"
)

// TestOptionsAsText: whatever stands in the form comes back out of its text, for
// any number of files.
func TestOptionsAsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sources []*source
		for range rapid.IntRange(1, 3).Draw(t, "files") {
			s := &source{src: api.Source{Path: "/x/" + rapid.SampledFrom([]string{"a.png", "]\n[2: b].png", "写真.jpg", "# x"}).Draw(t, "file")}, values: drawValues(t)}
			if len(sources) > 0 && rapid.Bool().Draw(t, "mostly the same") {
				s.values = sources[0].values
				s.values[fieldName] = "other"
			}
			sources = append(sources, s)
		}
		text := writeOptions(sources)
		got, wrong, hard := readOptions(text, sources, session.Profile{})
		if hard {
			t.Fatalf("%v\n%s", wrong, text)
		}
		for i, s := range sources {
			for f := range fieldCount {
				if got[i][f] != s.values[f] {
					t.Fatalf("%s of file %d came back as %q, was %q\n%s", fieldKeys[f], i, got[i][f], s.values[f], text)
				}
			}
		}
		// With what is wrong written into it the text says the same.
		again, _, hard := readOptions(withErrors(text, wrong), sources, session.Profile{})
		if hard || !slices.Equal(again, got) {
			t.Fatalf("with its errors it says another thing:\n%s", withErrors(text, wrong))
		}
	})
}

func FuzzReadOptions(f *testing.F) {
	src := []*source{{src: api.Source{Path: "/x/a.png"}, values: startValues(api.Source{Path: "/x/a.png"}, session.Profile{})}}
	f.Add(writeOptions(src))
	f.Add("[1: a]\nname = \"\\x\"\n\t\n  y\n[9]\n[every file]\n=\n")
	f.Fuzz(func(t *testing.T, text string) {
		values, wrong, hard := readOptions(text, src, session.Profile{})
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

// TestErrorsByLine: what is wrong is said with its line.
func TestErrorsByLine(t *testing.T) {
	sources := []*source{{src: api.Source{Path: "/a.png"}}, {src: api.Source{Path: "/b.png"}}}
	for _, c := range []struct {
		text string
		line int
		says string
	}{
		{"nonsense", 1, "no ="},
		{"[every file]\nname = a\n\nnmae = b", 4, `no option "nmae". Did you mean name?`},
		{"overwritefile = on", 1, "Did you mean overwriteFile?"},
		{"zzz = 1", 1, `no option "zzz".`},
		{"name = a\nprivate = maybe", 2, "on, off or default"},
		{"name = a\nremove-bg = default", 0, ""},
		{"name = a\nnaming = unique", 2, "here (made unique here)"},
		{"name = a\nwebhook = mine", 2, "ours, none or address"},
		{"name = a\nname = b", 2, "stands in line 1 already"},
		{"name = \"a\\q\"", 1, "quotation mark"},
		{"[3: c.png]\nname = a", 1, "There is no file 3"},
		{"[1]\nname = a\n[1]\nname = b", 3, "File 1 has a heading in line 1 already"},
		{"[all]\nname = a", 1, "neither [every file] nor"},
		{"name = a\ntags = 50%", 2, "%"},
		{"name = a\ntags = " + strings.Repeat("x", 501), 2, "501 characters"},
		{"name = a\nfolder = a b", 2, `holds " "`},
		{"name = a\n\nregion = 1,2,3", 3, "four numbers"},
		{"name = a\ngoogle = on\ngoogle.maxTags = 31", 3, "0 to 30"},
		{"name = a\nextension.options = [{\"name\":\"x\"},\n\t{\"name\":}]", 3, "extensions"},
		{"name = a\ncustomMetadata = brand = Acme\n\tyear\n\tx = 1", 3, "row 2"},
		{"name = a\ncustomMetadata = {\"a\": 1,\n\t\"b\": }", 3, "line 2"},
		{"name = a\nwebhook = address\nwebhook.address = ftp://x", 3, "webhook"},
		{"[1]\nname = a\n[2]\ntags = %", 4, "%"},
		{"name =", 1, "fileName is missing"},
	} {
		_, wrong, _ := readOptions(c.text, sources, session.Profile{})
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
			t.Errorf("%q: the error does not stand above its line:\n%s", c.text, strings.Join(marked, "\n"))
		}
	}
}

// TestEditedText: text that can be read goes into the files it was about; text
// with errors stays until it is mended, and can be taken where it only breaks a
// rule.
func TestEditedText(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{}})
	targets := m.targets()
	before := writeOptions(targets)
	done := func(text string) []any {
		var out []any
		for _, msg := range send(t, m, textReadMsg{before: before, text: text, sources: targets}) {
			out = append(out, msg)
		}
		return out
	}
	done(strings.Replace(before, "\ntags =", "\ntags = sea,写真", 1))
	for i, s := range m.sources {
		if s.values[fieldTags] != "sea,写真" {
			t.Errorf("file %d has %q", i, s.values[fieldTags])
		}
	}
	if got := m.item(fieldTags).value(); got != "sea,写真" {
		t.Errorf("the form shows %q", got)
	}
	done(strings.Replace(before, "private = default", "private = perhaps", 1))
	if !m.covered() || m.sources[0].values[fieldTags] != "sea,写真" {
		t.Fatal("a text with errors was taken over")
	}
	if text := screen(m, 100, 20); !strings.Contains(text, "1 error") || !strings.Contains(text, `private is "perhaps"`) {
		t.Errorf("the error is not shown:\n%s", text)
	}
	press(t, m, "t") // cannot be taken
	if !m.covered() {
		t.Error("a text that cannot be read was taken")
	}
	press(t, m, "esc")
	if m.covered() || !strings.Contains(m.text, errorMark) {
		t.Errorf("the text is not kept: %q", m.text)
	}
	done(strings.Replace(before, "\ntags =", "\ntags = 50%", 1))
	press(t, m, "t")
	if m.covered() || m.sources[1].values[fieldTags] != "50%" || m.text != "" {
		t.Errorf("a text that breaks a rule was not taken: %q", m.sources[1].values[fieldTags])
	}
	if toast := done(" \n"); len(toast) != 1 {
		t.Errorf("an empty text said %v", toast)
	}
}

func TestEditorCommand(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	if got := editorCommand(env("EDITOR", "nano", "VISUAL", "code --wait")); len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "code --wait") {
		t.Errorf("the editor is %q", got)
	}
	if got := editorCommand(env("EDITOR", "nano -w")); len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "nano -w") {
		t.Errorf("the editor is %q", got)
	}
}

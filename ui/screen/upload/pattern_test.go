package upload

import (
	"strings"
	"testing"

	"mediadesk/api"
)

// TestPatternsInTheForm checks the preview table, and that enter applies it to the marked files
// only. Files that cannot be filled in stay unchanged and are named.
func TestPatternsInTheForm(t *testing.T) {
	content := string(pngBytes(t, 10, 10))
	src := append(files(t, "a b.png", content, "c.png", content, "d.txt", "x"), api.Source{URL: "https://example.com/e.png"})
	m := started(t, localOptions(src, &stub{}))
	goTo(t, m, "unique")
	press(t, m, "right", "right") // exact
	list(t, m)
	press(t, m, "down", "down", "space")
	press(t, m, "ctrl+t")
	if !m.Capturing() {
		t.Fatal("the patterns take no text")
	}
	write(t, m, "{ext},%{name}")
	press(t, m, "tab")
	write(t, m, "/été/{ext}")
	press(t, m, "tab")
	write(t, m, "{date:YYYY}-{n:03}.{ext}")
	text := strings.Join(strings.Fields(screen(m, 140, 30)), " ")
	for _, want := range []string{"3 files", "/été/png/20", "-001.png", "-002.png", "tags png, %a b", "stays as before: no date", "1 file cannot be filled in"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, screen(m, 140, 30))
		}
	}
	toast := toasted(t, press(t, m, "enter"))
	if !strings.Contains(toast.Text, "1 file stayed as before: e.png") {
		t.Errorf("got the messages %+v", toast)
	}
	year := m.Items[0].known.identity.Modified.Format("2006")
	for i, want := range []string{year + "-001.png", year + "-002.png", "d.txt", "e.png"} {
		if got := m.says(m.Items[i], "name"); got != want {
			t.Errorf("file %d has the name %q, want %q", i, got, want)
		}
	}
	if v := m.row(m.Items[0]); v("folder") != "/été/png" || v("tags") != "png,%a b" {
		t.Errorf("the first file has %q", v("name"))
	}
	if m.says(m.Items[2], "folder") != "" {
		t.Error("a file that is not marked was changed")
	}

	// Duplicate names are among the checks, as soon as the patterns are used.
	list(t, m)
	press(t, m, "ctrl+a", "ctrl+t")
	write(t, m, "é x")
	press(t, m, "esc")
	if m.says(m.Items[0], "name") != year+"-001.png" || m.covered() {
		t.Error("esc changed something")
	}

	// An invalid pattern gives the position of the error and is not applied.
	press(t, m, "ctrl+t", "shift+tab")
	write(t, m, "ab{nme}")
	if text := screen(m, 140, 30); !strings.Contains(text, "character 3: {nme} is no field") {
		t.Errorf("the error is not shown:\n%s", text)
	}
	if toast := toasted(t, press(t, m, "enter")); !strings.Contains(toast.Text, "cannot be read") {
		t.Errorf("got the messages %+v", toast)
	}
}

// TestCollisionsAreThoseOfTheLibrary checks that differently composed forms of a name are the same place.
func TestCollisionsAreThoseOfTheLibrary(t *testing.T) {
	m := started(t, localOptions(files(t, "e\u0301.png", "x", "\u00e9.png", "y"), &stub{}))
	if text := told(m); !strings.Contains(text, "All files: the same name") {
		t.Errorf("the collision is not shown:\n%s", text)
	}
}

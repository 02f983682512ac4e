package upload

import (
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
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
	press(t, m, "down", "down", "space", "ctrl+t")
	if !m.Capturing() {
		t.Fatal("the patterns take no text")
	}
	write(t, m, "{ext},{name}")
	press(t, m, "tab")
	write(t, m, "/été/{ext}")
	press(t, m, "tab")
	write(t, m, "{date:YYYY}-{n:03}.{ext}")
	uitest.Shows(t, screen(m, 140, 30), "3 files", "/été/png/20", "-001.png", "-002.png", "Tags", "png, a b",
		"stays as before: no date", "1 file cannot be filled in")
	toast := toasted(t, press(t, m, "enter"))
	uitest.Shows(t, toast.Text, "1 file stayed as before: e.png")
	year := m.Items[0].known.identity.Modified.Format("2006")
	for i, want := range []string{year + "-001.png", year + "-002.png", "d.txt", "e.png"} {
		mediatest.Equal(t, m.says(m.Items[i], "name"), want, "file %d has the name", i)
	}
	if v := m.row(m.Items[0]); v("folder") != "/été/png" || v("tags") != "png,a b" {
		t.Errorf("the first file has %q", v("name"))
	}
	mediatest.Equal(t, m.says(m.Items[2], "folder"), "", "a file that is not marked was changed")

	// Duplicate names are among the checks, as soon as the patterns are used.
	list(t, m)
	press(t, m, "ctrl+a", "ctrl+t")
	write(t, m, "é x")
	press(t, m, "esc")
	if m.says(m.Items[0], "name") != year+"-001.png" || m.covered() {
		t.Error("esc changed something")
	}

	// An invalid pattern gives the position of the error and is not applied, nor is a tag that is refused.
	press(t, m, "ctrl+t")
	write(t, m, "%{name}")
	uitest.Shows(t, screen(m, 140, 30), "Tags cannot have %")
	press(t, m, "ctrl+u")
	write(t, m, "beach,{na") // a field that is being typed is not wrong yet
	uitest.Shows(t, screen(m, 140, 30), "beach")
	uitest.Lacks(t, screen(m, 140, 30), "without a }")
	uitest.Shows(t, toasted(t, press(t, m, "enter")).Text, "cannot be used")
	press(t, m, "tab")
	write(t, m, "/../{ext}")
	uitest.Shows(t, screen(m, 140, 30), "stays as before: folder", "4 files cannot be filled in")
	uitest.Shows(t, toasted(t, press(t, m, "enter")).Text, "cannot be used")
	press(t, m, "esc", "ctrl+t", "shift+tab")
	write(t, m, "ab{nme}")
	uitest.Shows(t, screen(m, 140, 30), "Character 3: {nme} is no field")
	uitest.Shows(t, toasted(t, press(t, m, "enter")).Text, "cannot be used")
}

// TestCollisionsAreThoseOfTheLibrary checks that differently composed forms of a name are the same place.
func TestCollisionsAreThoseOfTheLibrary(t *testing.T) {
	m := started(t, localOptions(files(t, "e\u0301.png", "x", "\u00e9.png", "y"), &stub{}))
	uitest.Shows(t, told(m), "All files: the same name")
}

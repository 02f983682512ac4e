package upload

import (
	"strings"
	"testing"
	"time"

	"mediadesk/api"
)

func TestPattern(t *testing.T) {
	day := time.Date(2026, 7, 31, 23, 5, 9, 0, time.UTC)
	photo := subject{src: api.Source{Path: "/photos/Sea side/IMG_1.b.JPG"}, number: 7, looked: true, modified: day, taken: day.AddDate(-1, 0, 0)}
	bare := subject{src: api.Source{Path: "/x/.hidden"}, number: 12, looked: true, modified: day}
	address := subject{src: api.Source{URL: "https://example.com/a/pic.png"}, number: 1}
	for _, c := range []struct {
		text string
		of   subject
		want string // a leading ! means an error with this text
	}{
		{"", photo, ""},
		{"plain", photo, "plain"},
		{"{name}.{ext}", photo, "IMG_1.b.JPG"},
		{"{name}|{ext}", bare, ".hidden|"},
		{"{name}.{ext}", address, "pic.png"},
		{"{parent}", photo, "Sea side"},
		{"{parent}", address, "!no parent"},
		{"{parent}", subject{src: api.Source{Path: "/a.png"}}, "!no parent"},
		{"{n}", photo, "7"},
		{"{n:03}-{n:3}", photo, "007-007"},
		{"{n:1}", bare, "12"},
		{"{date}", photo, "2026-07-31"},
		{"{date:YYYY/MM}", photo, "2026/07"},
		{"{date:DD.MM.YY hh.mm.ss 15}", photo, "31.07.26 23.05.09 15"},
		{"{exif:date}", photo, "2025-07-31"},
		{"{exif:date:YYYY}", photo, "2025"},
		{"{exif:date}", bare, "!no date in its EXIF"},
		{"{date}", address, "!no date"},
		{"{date}", subject{src: api.Source{Path: "/a.png"}}, "!is being looked at"},
		{"{{{name}}}", bare, "{.hidden}"},
		{"写真-{n:02}é", photo, "写真-07é"},
		{"{nme}", photo, "!character 1: {nme} is no field"},
		{"ab{exif:camera}", photo, "!character 3: {exif:camera} is no field"},
		{"{name", photo, "!character 1: { without a }"},
		{"写}", photo, "!character 2: } without a {"},
		{"{n:x}", photo, "!no width"},
		{"{n:0}", photo, "!no width"},
		{"{n:99999999999}", photo, "!no width"},
		{"{name:3}", photo, "!takes nothing"},
		{"{}", photo, "!is no field"},
	} {
		p, err := parsePattern(c.text)
		got := ""
		if err == nil {
			got, err = p.fill(c.of, nil)
		}
		if reason, wrong := strings.CutPrefix(c.want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%q: %q, %v; want %q", c.text, got, err, c.want)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"{name}-{n:03}.{ext}", "{{", "}}{", "{exif:date:YYYY}", "{n:-1}", "é{\xff}"} {
		f.Add(s)
	}
	of := subject{src: api.Source{Path: "/a/b.png"}, number: 1, looked: true, modified: time.Unix(0, 0), taken: time.Unix(0, 0)}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePattern(text)
		if err != nil {
			return
		}
		if _, err := p.fill(of, folderName); err != nil {
			t.Fatalf("%q can be read and not be filled in: %v", text, err)
		}
		if !strings.ContainsAny(text, "{}") {
			if got, _ := p.fill(of, nil); got != text {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

// TestPatternsInTheForm checks the preview table, and that enter applies it to the marked files
// only. Files that cannot be filled in stay unchanged and are named.
func TestPatternsInTheForm(t *testing.T) {
	content := string(pngBytes(t, 10, 10))
	src := append(files(t, "a b.png", content, "c.png", content, "d.txt", "x"), api.Source{URL: "https://example.com/e.png"})
	m := started(t, Options{Sources: src, Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldNaming)
	press(t, m, "end") // exact
	press(t, m, "shift+tab", "down", "down", "space")
	press(t, m, "ctrl+t")
	if !m.Capturing() {
		t.Fatal("the patterns take no text")
	}
	write(t, m, "{date:YYYY}-{n:03}.{ext}")
	press(t, m, "tab")
	write(t, m, "/été/{ext}")
	press(t, m, "tab")
	write(t, m, "{ext},%{name}")
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
	year := m.sources[0].known.identity.Modified.Format("2006")
	for i, want := range []string{year + "-001.png", year + "-002.png", "d.txt", "e.png"} {
		if got := m.says(m.sources[i], fieldName); got != want {
			t.Errorf("file %d has the name %q, want %q", i, got, want)
		}
	}
	if v := m.row(m.sources[0]); v(fieldFolder) != "/été/png" || v(fieldTags) != "png,%a b" {
		t.Errorf("the first file has %q", v(fieldName))
	}
	if m.says(m.sources[2], fieldFolder) != "" {
		t.Error("a file that is not marked was changed")
	}

	// Duplicate names are flagged according to the naming rules.
	press(t, m, "shift+tab", "shift+tab", "ctrl+a", "ctrl+t")
	write(t, m, "é x")
	if text := screen(m, 140, 30); !strings.Contains(text, "the same place as another file") {
		t.Errorf("a collision is not flagged:\n%s", text)
	}
	press(t, m, "esc")
	if m.says(m.sources[0], fieldName) != year+"-001.png" || m.covered() {
		t.Error("esc changed something")
	}

	// An invalid pattern gives the position of the error and is not applied.
	press(t, m, "ctrl+t")
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
	m := started(t, Options{Sources: files(t, "e\u0301.png", "x", "\u00e9.png", "y"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldNaming)
	press(t, m, "end")
	if text := told(m); !strings.Contains(text, "2 files get the same name") || !strings.Contains(text, "1 in the place of another of them: 2 may lose their tags, AI tags, region and custom metadata.") {
		t.Errorf("the collision is not shown:\n%s", text)
	}
}

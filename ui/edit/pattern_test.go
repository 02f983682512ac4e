package edit

import (
	"strings"
	"testing"
	"time"
)

func TestPattern(t *testing.T) {
	day := time.Date(2026, 7, 31, 23, 5, 9, 0, time.UTC)
	photo := PatternFile{
		Name: "IMG_1.b.JPG", Folder: "Sea side", Number: 7, Modified: day, Taken: day.AddDate(-1, 0, 0),
	}
	bare := PatternFile{Name: ".hidden", Number: 12, Modified: day}
	address := PatternFile{Name: "pic.png", Number: 1}
	for _, c := range []struct {
		text string
		of   PatternFile
		want string // a leading ! means an error with this text
	}{
		{"", photo, ""},
		{"plain", photo, "plain"},
		{"{name}.{ext}", photo, "IMG_1.b.JPG"},
		{"{name}.{ext}", bare, ".hidden"},
		{"{name}.{ext}", address, "pic.png"},
		{"{folder}", photo, "Sea side"},
		{"{folder}", address, "!no folder"},
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
		{"{date}", PatternFile{Unread: true}, "!is being read"},
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
		got, err := Pattern(c.text).Fill(c.of, nil)
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

// TestFillName: a name keeps the extension of its file unless the pattern has one; a dot in a value is none.
func TestFillName(t *testing.T) {
	at := time.Date(2026, 7, 31, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ pattern, file, want string }{
		{"{name}", "a.jpg", "a.jpg"},
		{"{name}", "trip.v2.jpg", "trip.v2.jpg"},
		{"{name}-{n:02}", "evil.exe.jpg", "evil.exe-01.jpg"},
		{"{date:YYYY.MM}", "a.jpg", "2026.07.jpg"},
		{"{name}.png", "a.jpg", "a.png"},
		{"{ext}-{name}", "a.jpg", "jpg-a"},
		{"{name}.{ext}", "a.jpg", "a.jpg"},
		{"{name}", ".hidden", ".hidden"},
		{"{name}", "README", "README"},
	} {
		got, err := Pattern(c.pattern).FillName(PatternFile{Name: c.file, Number: 1, Modified: at})
		if err != nil || got != c.want {
			t.Errorf("%q of %q: %q, %v; want %q", c.pattern, c.file, got, err, c.want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"{name}-{n:03}.{ext}", "{{", "}}{", "{exif:date:YYYY}", "{n:-1}", "é{\xff}"} {
		f.Add(s)
	}
	of := PatternFile{
		Name: "b.png", Folder: "a", Number: 1, Modified: time.Unix(0, 0), Taken: time.Unix(0, 0),
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := Pattern(text)
		if p.Check() != nil {
			return
		}
		if _, err := p.Fill(of, FolderText); err != nil {
			t.Fatalf("%q can be read and not be filled in: %v", text, err)
		}
		if !strings.ContainsAny(text, "{}") {
			if got, _ := p.Fill(of, nil); got != text {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

package picker

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
)

func TestParsePaste(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	path := func(p ...string) (out []api.Source) {
		for _, s := range p {
			out = append(out, api.Source{Path: s})
		}
		return out
	}
	address := func(u string) api.Source { return api.Source{URL: u} }
	for _, c := range []struct {
		what, text string
		want       []api.Source
	}{
		{"nothing", "", nil},
		{"blanks", " \n\t\r\n ", nil},
		{"one path", "/a/b.jpg", path("/a/b.jpg")},
		{"a terminal's drop ends in a blank", "/a/b.jpg ", path("/a/b.jpg")},
		{"one per line", "/a/b.jpg\n/c/d.png\n", path("/a/b.jpg", "/c/d.png")},
		{"line ends of Windows", "/a/b.jpg\r\n/c/d.png\r\n", path("/a/b.jpg", "/c/d.png")},
		{"blanks between paths", "/a/b.jpg /c/d.png", path("/a/b.jpg", "/c/d.png")},
		{"blanks between relative names", "a.jpg ./b c.png", path("/dir/a.jpg ./b c.png")},
		{"a name with blanks, as file managers copy it", "/a/My Pictures/b c.jpg", path("/a/My Pictures/b c.jpg")},
		{"a relative name with blanks", "Screenshot 2026.05.12 at 10.30.png", path("/dir/Screenshot 2026.05.12 at 10.30.png")},
		{"escaped blank", `/a/b\ c.jpg`, path("/a/b c.jpg")},
		{"escaped, several", `/a/b\ c.jpg /d\(1\).jpg`, path("/a/b c.jpg", "/d(1).jpg")},
		{"escaped quote", `/a/it\'s.jpg`, path("/a/it's.jpg")},
		{"escaped backslash", `/a/b\\c.jpg`, path(`/a/b\c.jpg`)},
		{"single quotes", `'/a/b c.jpg' '/d e.png'`, path("/a/b c.jpg", "/d e.png")},
		{"single quotes with a quote", `'/a/it'\''s.jpg'`, path("/a/it's.jpg")},
		{"double quotes", `"/a/b c.jpg"`, path("/a/b c.jpg")},
		{"double quotes with escapes", `"/a/\"b\" \$c \n.jpg"`, path(`/a/"b" $c \n.jpg`)},
		{"double in single", `'/a/"b".jpg'`, path(`/a/"b".jpg`)},
		{"a quote inside a name is a letter", "/a/it's.jpg", path("/a/it's.jpg")},
		{"two quotes inside names are letters", "/a/Ann's and Bob's.jpg", path("/a/Ann's and Bob's.jpg")},
		{"a quotation without end", "'/a/b c.jpg", path("/dir/'/a/b c.jpg")},
		{"empty quotes", "''", nil},
		{"backslash at the end", `/a/b.jpg\`, path(`/a/b.jpg\`)},
		{"home", "~/b.jpg", path("/home/ann/b.jpg")},
		{"home itself", "~", path("/home/ann")},
		{"another's home is a name", "~bob/b.jpg", path("/dir/~bob/b.jpg")},
		{"relative", "b.jpg", path("/dir/b.jpg")},
		{"up", "../b.jpg", path("/b.jpg")},
		{"dots are cleaned", "/a/./x/../b.jpg", path("/a/b.jpg")},
		{"file address", "file:///a/b%20c.jpg", path("/a/b c.jpg")},
		{"file address with host", "file://localhost/a/b.jpg", path("/a/b.jpg")},
		{"file address without host", "file:/a/b.jpg", path("/a/b.jpg")},
		{"file address in another case", "FILE:///a/b.jpg", path("/a/b.jpg")},
		{"file address, bytes that are no UTF-8", "file:///a/%ff.jpg", path("/a/\xff.jpg")},
		{"file addresses with blanks between", "file:///a/b.jpg file:///c/d.jpg", path("/a/b.jpg", "/c/d.jpg")},
		{"plus is no blank", "file:///a/b+c.jpg", path("/a/b+c.jpg")},
		{"as file managers copy", "copy\nfile:///a/b.jpg\nfile:///c.jpg", path("/a/b.jpg", "/c.jpg")},
		{"a file named copy", "copy\n/a/b.jpg", path("/dir/copy", "/a/b.jpg")},
		{"URL", "https://example.com/a%20b.jpg?x=1&y='2'", []api.Source{address("https://example.com/a%20b.jpg?x=1&y='2'")}},
		{"URLs", "https://a.example/1.jpg http://b.example/2.jpg", []api.Source{address("https://a.example/1.jpg"), address("http://b.example/2.jpg")}},
		{"URL in another case", "HTTPS://a.example/1.jpg", []api.Source{address("HTTPS://a.example/1.jpg")}},
		{"mixed", "/a/b.jpg\nhttps://a.example/1.jpg\n'/c d.jpg'", append(append(path("/a/b.jpg"), address("https://a.example/1.jpg")), path("/c d.jpg")...)},
		{"twice", "/a/b.jpg\n/a/b.jpg\n/a/./b.jpg", path("/a/b.jpg")},
		{"other scripts", "/фото/день 1 — naïve (final).txt", path("/фото/день 1 — naïve (final).txt")},
		{"not UTF-8", "/a/\xff\xfe.jpg", path("/a/\xff\xfe.jpg")},
		{"zero bytes end a path", "/a/b.jpg\x00/c/d.jpg", path("/a/b.jpg", "/c/d.jpg")},
	} {
		got := parsePaste(c.text, "/dir")
		if len(got) != len(c.want) {
			t.Errorf("%s: %q gives %q, want %q", c.what, c.text, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %q gives %q, want %q", c.what, c.text, got, c.want)
			}
		}
	}
}

func TestParsePasteOtherPlaces(t *testing.T) {
	// A file address of another computer does not mean a local file.
	for _, s := range parsePaste("file://elsewhere.example/a/b.jpg", "/dir") {
		if s.Path == "/a/b.jpg" {
			t.Error("the path on another computer was taken for one of this one")
		}
	}
}

// TestParsePasteReadsQuoting: shell quoting is reversed exactly.
func TestParsePasteReadsQuoting(t *testing.T) {
	single := func(p string) string { return "'" + strings.ReplaceAll(p, "'", `'\''`) + "'" }
	escaped := func(p string) string {
		var b strings.Builder
		for _, r := range p {
			if r < 0x80 && !strings.ContainsRune("/.abcdefghijklmnopqrstuvwxyz", r) || r == ' ' || r == 0xa0 {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		return b.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.RuneFrom([]rune("ab.é写 '\"\\$`()~-#&*\u00a0")), 1, 12, -1)
		var want, words []string
		seen := map[string]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "paths") {
			p := filepath.Clean("/" + name.Draw(t, "folder") + "/" + name.Draw(t, "name") + "x")
			if !seen[p] {
				want = append(want, p)
			}
			seen[p] = true
			if rapid.Bool().Draw(t, "quoted") {
				words = append(words, single(p))
			} else {
				words = append(words, escaped(p))
			}
		}
		sep := rapid.SampledFrom([]string{" ", "\n", "\r\n", "\r"}).Draw(t, "between")
		got := parsePaste(strings.Join(words, sep), "/dir")
		if len(got) != len(want) {
			t.Fatalf("%q gives %q, want %q", strings.Join(words, sep), got, want)
		}
		for i := range got {
			if got[i] != (api.Source{Path: want[i]}) {
				t.Fatalf("%q gives %q, want %q", strings.Join(words, sep), got, want)
			}
		}
	})
}

func FuzzParsePaste(f *testing.F) {
	for _, seed := range []string{
		"/a/b.jpg", `'a'\''b' "c\"d" e\ f`, "file:///%zz", "https://x\ny z", "copy\nfile:///a", "\\", "'", "~/\x00~", "\xff '\xfe'",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		for _, s := range parsePaste(text, "/dir") {
			switch {
			case (s.Path == "") == (s.URL == ""):
				t.Fatalf("%q: path and address: %+v", text, s)
			case s.Path != "" && !filepath.IsAbs(s.Path):
				t.Fatalf("%q: path is not absolute: %q", text, s.Path)
			case strings.ContainsRune(s.Path+s.URL, 0):
				t.Fatalf("%q: zero byte in %+v", text, s)
			case seen[keyOf(s)]:
				t.Fatalf("%q: twice: %+v", text, s)
			}
			seen[keyOf(s)] = true
		}
	})
}

func TestPictureOnTheClipboard(t *testing.T) {
	dir := folder(t, "spool/clipboard-2026-11-22-081500.png", "a.jpg")
	copied := errors.New("the clipboard has no picture")
	d := start(t, Options{Folder: dir, Clipboard: func(context.Context) (api.Source, error) {
		return file(dir, "spool/clipboard-2026-11-22-081500.png"), copied
	}})
	d.Press("P")
	d.Toasted("The clipboard has no picture")
	equal(t, "tray", d.tray(), nil)
	copied = nil
	d.Press("P")
	d.Toasted("is in the tray as clipboard-2026-11-22-081500.png")
	equal(t, "tray", d.tray(), []string{"clipboard-2026-11-22-081500.png"})
}

package text_test

import (
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/uitest"
)

// words draws any text: wide, combining, hostile, styled, with many lines.
func words() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "Z", " ", ".", "/", "-", "name", "写", "真", "🎉", "e\u0301", "한", "ß", "👍🏽", "…", "\u200b", "\u202e", "\n", "\t",
			"\x1b[31m", "\x1b[0m", "\x07", "\xff", "नि", "🇩🇪", ".jpeg", "\u0301",
		}), 0, 24).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

func TestFitIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := words().Draw(t, "s")
		w, h := rapid.IntRange(-1, 30).Draw(t, "w"), rapid.IntRange(-1, 6).Draw(t, "h")
		got := text.Fit(s, w, h)
		if w < 1 || h < 1 {
			if got != "" {
				t.Fatalf("an empty rectangle holds %q", got)
			}
			return
		}
		lines := strings.Split(got, "\n")
		if len(lines) != h {
			t.Fatalf("%d lines, want %d: %q", len(lines), h, got)
		}
		for _, line := range lines {
			if text.Width(line) != w {
				t.Fatalf("%d columns, want %d: %q", text.Width(line), w, line)
			}
		}
	})
}

func TestLinesKeepToTheirWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := text.Safe(words().Draw(t, "s"))
		w := rapid.IntRange(-1, 40).Draw(t, "w")
		room := max(0, w)
		if got := text.Truncate(s, w); text.Width(got) > room {
			t.Fatalf("Truncate(%q, %d) = %q", s, w, got)
		}
		if got := text.TruncateMiddle(s, w); text.Width(got) > room {
			t.Fatalf("TruncateMiddle(%q, %d) = %q", s, w, got)
		}
		if got := text.PadRight(s, w); text.Width(got) != room {
			t.Fatalf("PadRight(%q, %d) = %q", s, w, got)
		}
		if got := text.PadLeft(s, w); text.Width(got) != room {
			t.Fatalf("PadLeft(%q, %d) = %q", s, w, got)
		}
		for _, line := range text.Wrap(s, w) {
			if text.Width(line) > room {
				t.Fatalf("Wrap(%q, %d) has %q", s, w, line)
			}
		}
	})
}

func TestTruncateMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"short.jpg", 20, "short.jpg"},
		{"a very long name of a picture.jpeg", 16, "a very l…re.jpeg"},
		{"a very long name of a picture.jpeg", 10, "a ve….jpeg"},
		{"a very long name of a picture.jpeg", 8, "a ….jpeg"},
		{"a very long name of a picture.jpeg", 4, "a …g"},
		{"noextension", 6, "noe…on"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"abc", -3, ""},
		{"写真写真写真.png", 9, "写真….png"},
		{"cafe\u0301cafe\u0301.png", 7, "ca….png"},
		{".hiddenfilewithalongname", 8, ".hid…ame"},
		{`family 👩\u{200d}👩\u{200d}👧.png`, 16, "family 👩…👧.png"},
		{`a\u{200d}b\u{200d}c`, 17, `a\u{200d}b…c`},
		{`a\xffbcdefg\xfe`, 11, `a\xff…g\xfe`},
		{`\u{not one}, \x or \`, 12, `\u{not… or \`},
	} {
		mediatest.Equal(t, text.TruncateMiddle(c.in, c.w), c.want, "TruncateMiddle(%q, %d)", c.in, c.w)
	}
}

func TestShortName(t *testing.T) {
	for _, c := range []struct {
		name string
		w    int
		want string
	}{
		{"beach_iEyH1dQme.jpg", 19, "beach_iEyH1dQme.jpg"},
		{"beach_iEyH1dQme.jpg", 18, "beach_iEyH1dQ….jpg"},
		{"/2026/greece/beach_iEyH1dQme.jpg", 30, "/2026/greece/beach_iEyH1d….jpg"},
		{"beach-at-noon_iEyH1dQme.jpg", 12, "bea…oon….jpg"},
		{"archive_iEyH1dQme", 10, "archive_i…"},
		{"my_holidays1.jpg", 14, "my_holi…s1.jpg"}, // a word, not a suffix
		{"scan_202608121.jpg", 14, "scan_20…21.jpg"},
		{"to_the-sea-26.jpg", 12, "to_the…6.jpg"},
		{"beach_x8kd0s2kd.jpg", 18, "beach_x8kd0s2….jpg"},
		{"beach_x8kd0s2kd.jpg", 8, "bea….jpg"},
		{"beach.jpg", 0, ""},
	} {
		mediatest.Equal(t, text.ShortName(c.name, c.w), c.want, "ShortName(%q, %d)", c.name, c.w)
	}
}

func TestSortKey(t *testing.T) {
	for _, want := range [][]string{
		{"a2.jpg", "a10.jpg", "b1.jpg"},
		{"IMG_1.jpg", "img_2.jpg", "IMG_003.jpg", "img_10.jpg"},
		{"a", "a1", "ab"},
		{"1", "02", "3", "10", "x"},
		{"Äpfel", "äpfel 2", "äpfel 10"},
		{"день 1", "День 2", "день 10"},
		{"9", strings.Repeat("9", 300)},
	} {
		got := slices.Clone(want)
		slices.Reverse(got)
		slices.SortFunc(got,
			func(a, b string) int { return strings.Compare(text.SortKey(a), text.SortKey(b)) })
		if !slices.Equal(got, want) {
			t.Errorf("sorted: %q, want %q", got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got := text.Wrap("one two three", 7); strings.Join(got, "|") != "one two|three" {
		t.Errorf("got %q", got)
	}
	if got := text.Wrap("abcdefgh", 3); strings.Join(got, "|") != "abc|def|gh" {
		t.Errorf("got %q", got)
	}
	if got := text.Wrap("a\n\nb", 3); strings.Join(got, "|") != "a||b" {
		t.Errorf("got %q", got)
	}
	if got := text.Wrap("a", 0); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestMatched(t *testing.T) {
	hit, base := lipgloss.NewStyle().Bold(true), lipgloss.NewStyle()
	for _, c := range []struct {
		name, in string
		indexes  []int
		want     string
	}{
		{"letters", "photo", []int{0, 1, 4}, "[ph]ot[o]"},
		{"none", "photo", nil, "photo"},
		{"out of range", "ab", []int{-1, 9}, "ab"},
		{"wide", "写真.png", []int{3, 7}, "写[真].[p]ng"},
		{"a letter with its mark", "e\u0301a", []int{0}, "[e\u0301]a"},
		{"hostile", "a\x1bb", []int{1}, `a[\x1b]b`},
	} {
		got := text.Matched(c.in, c.indexes, hit, base)
		got = strings.NewReplacer("\x1b[1m", "[", "\x1b[m", "]").Replace(got)
		mediatest.Equal(t, got, c.want, "%s", c.name)
	}
}

func TestJoinH(t *testing.T) {
	got := kit.JoinH("a\nbb", "", "1\n2\n3")
	if want := "a 1\nbb2\n  3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := kit.JoinV("a", "", "b"); got != "a\nb" {
		t.Errorf("got %q", got)
	}
}

func TestOverlay(t *testing.T) {
	base := text.Fit("aaaaa\nbbbbb\nccccc", 5, 3)
	for _, c := range []struct {
		name, top string
		x, y      int
		want      string
	}{
		{"inside", "XX", 1, 1, "aaaaa\nbXXbb\nccccc"},
		{"over the right edge", "XXXX", 3, 0, "aaaXX\nbbbbb\nccccc"},
		{"over the lower edge", "X\nY\nZ", 0, 2, "aaaaa\nbbbbb\nXcccc"},
		{"beside", "X", 9, 9, "aaaaa\nbbbbb\nccccc"},
		{"nothing", "", 0, 0, "aaaaa\nbbbbb\nccccc"},
		{"wide", "写", 2, 0, "aa写a\nbbbbb\nccccc"},
	} {
		if got := ansi.Strip(kit.OverlayAt(base, c.top, c.x, c.y)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	mediatest.Equal(t, ansi.Strip(kit.OverlayCenter(base, "X")), "aaaaa\nbbXbb\nccccc", "centered:\n")
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(0, 12).Draw(t, "w"), rapid.IntRange(0, 5).Draw(t, "h")
		under := text.Fit(text.Safe(words().Draw(t, "base")), w, h)
		top := text.Fit(text.Safe(words().Draw(t, "top")), rapid.IntRange(0, 20).Draw(t, "tw"),
			rapid.IntRange(0, 8).Draw(t, "th"))
		got := kit.OverlayAt(under, top, rapid.IntRange(0, 15).Draw(t, "x"),
			rapid.IntRange(0, 9).Draw(t, "y"))
		if kit.Size(got) != kit.Size(under) {
			t.Fatalf("size %v, want %v:\n%q", kit.Size(got), kit.Size(under), got)
		}
		if err := uitest.Inside(got, w, max(1, h)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestList(t *testing.T) {
	words := []string{"gray", "dark", "landscape"}
	for w, want := range map[int]string{21: "gray, dark, landscape", 20: "gray, dark +1", 13: "gray, dark +1", 12: "gray +2", 7: "gray +2", 6: "gray …", 0: ""} {
		mediatest.Equal(t, text.List(words, w), want, "in %d columns", w)
	}
}

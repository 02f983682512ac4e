package text_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		-1: "?", 0: "0 B", 1: "1 B", 999: "999 B", 1000: "1 kB", 1500: "1.5 kB", 25_000_000: "25 MB", 99_940: "99.9 kB",
		99_960: "100 kB", 999_499: "999 kB", 999_500: "1.0 MB", 1_234_567_890: "1.2 GB", math.MaxInt64: "9.2 EB",
	} {
		mediatest.Equal(t, text.Bytes(n), want, "%d", n)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, ""}, {-1, ""}, {math.NaN(), ""}, {math.Inf(1), ""}, {1500, "1.5 kB/s"}, {math.MaxFloat64, "4.6 EB/s"},
	} {
		mediatest.Equal(t, text.Rate(c.v), c.want, "%g", c.v)
	}
}

func TestDurationAndAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "under 1 s", 0: "under 1 s", time.Second: "1 s", 59 * time.Second: "59 s", 125 * time.Second: "2 min 05 s",
		80 * time.Minute: "1 h 20 min", 76 * time.Hour: "3 d 4 h",
	} {
		mediatest.Equal(t, text.Duration(d), want, "%v", d)
	}
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "now", time.Second: "now", 40 * time.Second: "40 s ago", 14 * time.Minute: "14 min ago", 3 * time.Hour: "3 h ago",
		25 * time.Hour: "1 day ago", 5 * 24 * time.Hour: "5 days ago", 90 * 24 * time.Hour: "3 May 2026",
		-30 * time.Second: "now", -time.Hour: "1 Aug 2026",
	} {
		mediatest.Equal(t, text.Age(now.Add(-d), now), want, "%v before", d)
	}
	mediatest.Equal(t, text.Age(time.Time{}, now), "never", "the zero time is")
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		want        string
	}{
		{0, 0, ""},
		{5, -1, ""},
		{0, 10, "0 %"},
		{-5, 10, "0 %"},
		{5, 10, "50 %"},
		{10, 10, "99 %"},
		{99, 10, "99 %"},
		{math.MaxInt64, math.MaxInt64, "99 %"},
	} {
		mediatest.Equal(t, text.Percent(c.done, c.total), c.want, "%d of %d", c.done, c.total)
	}
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 12: "12 files", 100_000: "100,000 files"} {
		if got := text.Plural(n, "file"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBarIsNeverFull(t *testing.T) {
	th := theme.New(true, false)
	for _, c := range []struct {
		p    kit.Progress
		want string
	}{
		{kit.Progress{}, "----------"},
		{kit.Progress{Done: 5, Total: 10}, "=====-----"},
		{kit.Progress{Done: 10, Total: 10}, "=========-"},
		{kit.Progress{Done: 10}, "----------"},
	} {
		mediatest.Equal(t, ansi.Strip(c.p.Bar(10, th)), c.want, "%+v", c.p)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := kit.Progress{
			Done: rapid.Int64().Draw(t, "done"), Total: rapid.Int64().Draw(t, "total"),
			Stalled: rapid.Bool().Draw(t, "stalled"),
		}
		w := rapid.IntRange(-1, 60).Draw(t, "w")
		if got := p.Bar(w, th); text.Width(got) != max(0, w) {
			t.Fatalf("bar of %d columns, want %d", text.Width(got), w)
		}
		if !strings.Contains(ansi.Strip(p.Bar(max(1, w), th)), "-") {
			t.Fatal("the bar is full")
		}
	})
}

func TestColumns(t *testing.T) {
	cols := kit.Columns{{Width: 10, Flex: 1}, {Width: 8, Right: true, Spare: 1}, {Width: 6, Spare: 2}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{30, "a long name…    1.5 kB  jpeg  "},
		{28, "a long na…    1.5 kB  jpeg  "},
		{20, "a long na…    1.5 kB"},
		{12, "a long name…"},
		{5, "a lo…"},
		{0, ""},
	} {
		got := cols.Row(cols.Widths(c.width), "a long name of a file", "1.5 kB", "jpeg")
		if text.Width(got) != c.width || got != c.want {
			t.Errorf("at %d: %q, want %q", c.width, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		cols := make(kit.Columns, rapid.IntRange(0, 6).Draw(t, "n"))
		for i := range cols {
			cols[i] = kit.Column{
				Width: rapid.IntRange(0, 20).Draw(t, "width"), Flex: rapid.IntRange(0, 3).Draw(t, "flex"),
				Spare: rapid.IntRange(0, 3).Draw(t, "spare"), Right: rapid.Bool().Draw(t, "right"),
			}
		}
		w := rapid.IntRange(-1, 80).Draw(t, "w")
		row := cols.Row(cols.Widths(w), text.Safe(words().Draw(t, "a")), "b", "c", "d")
		if text.Width(row) > max(0, w) {
			t.Fatalf("%d columns, %d fit: %q", text.Width(row), w, row)
		}
	})
}

func TestTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "under 1 s", 4 * time.Second: "4 s", 59 * time.Second: "59 s", 100 * time.Second: "2 min",
		125 * time.Second: "2 min", 59 * time.Minute: "59 min",
		59*time.Minute + 40*time.Second: "1 h 00 min", 80 * time.Minute: "1 h 20 min",
	} {
		mediatest.Equal(t, text.About(d), want, "about %v", d)
	}
	mediatest.Equal(t, text.Date(time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)), "1 May 2026 12:00",
		"a date")
	mediatest.Equal(t, text.Date(time.Time{}), "", "never")
}

func TestWhen(t *testing.T) {
	at := time.Date(2026, 11, 22, 8, 7, 0, 0, time.Local)
	for want, now := range map[string]time.Time{
		"2 min ago":         at.Add(2 * time.Minute),
		"22 Nov 2026 08:07": at.Add(24 * time.Hour),
	} {
		if got := text.When(at, now); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	mediatest.Equal(t, text.When(time.Time{}, at), "", "the zero time is")
}

package uitest_test

import (
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

func TestSweep(t *testing.T) {
	fits := func(w, h int, th *theme.Theme) string {
		return strings.TrimSuffix(strings.Repeat(th.Accent.Render(strings.Repeat("x", w))+"\n", h), "\n")
	}
	uitest.Sweep(t, fits)

	for name, view := range map[string]func(w, h int, th *theme.Theme) string{
		"too wide": func(w, h int, th *theme.Theme) string { return strings.Repeat("x", w+1) },
		"too high": func(w, h int, th *theme.Theme) string { return strings.Repeat("\n", h) },
		"panic":    func(w, h int, th *theme.Theme) string { panic("no") },
		"control":  func(w, h int, th *theme.Theme) string { return "\t" },
	} {
		seen := &recorder{TB: t}
		uitest.Sweep(seen, view)
		if want := len(uitest.Sizes) * len(uitest.Themes()); seen.errors != want && !mediatest.Racing {
			t.Errorf("%s: %d failures, want %d", name, seen.errors, want)
		}
	}
}

type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }

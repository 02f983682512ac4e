package page_test

import (
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// screen draws its name in each row and says in its status what it is told to.
type screen struct {
	over   kit.Overlays
	status []string
	size   image.Point
}

func (s *screen) Init() tea.Cmd                { return nil }
func (s *screen) Actions() []kit.Action        { return nil }
func (s *screen) Capturing() bool              { return false }
func (s *screen) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }
func (s *screen) Overlays() *kit.Overlays      { return &s.over }

func (s *screen) Status(image.Point, *theme.Theme) []string { return s.status }

func (s *screen) View(size image.Point, _ *theme.Theme) string {
	return text.Fit(strings.Repeat("row\n", size.Y), size.X, size.Y)
}

func (s *screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		s.size = msg.Size
	case []string:
		s.status = msg
	}
	return nil
}

// TestStatus: a screen loses as many rows as its status needs beyond the spare ones, and few enough.
func TestStatus(t *testing.T) {
	s, th := &screen{}, theme.New(true, true)
	h := page.Host{Spare: 1}
	h.Add(page.Picker, s)
	h.Paint(th)
	h.Resize(image.Pt(9, 8))
	for _, c := range []struct {
		status string
		rows   int
		last   string
	}{
		{"", 7, ""}, {"one", 7, "one"}, {"one two", 6, "two"}, {"1 2 3 4 5 6", 4, "4"}, {"", 7, ""},
	} {
		h.Tell(s, strings.Fields(c.status))
		lines := strings.Split(h.View(th), "\n")
		mediatest.Equal(t, s.size, image.Pt(9, c.rows), "%q leaves", c.status)
		mediatest.Equal(t, len(lines), 8, "%q: the rows", c.status)
		mediatest.Equal(t, strings.TrimSpace(lines[7]), c.last, "%q: the last line", c.status)
		mediatest.Equal(t, strings.Count(h.View(th), "row"), c.rows, "%q: the rows of the screen", c.status)
	}
}

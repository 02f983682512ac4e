package account

import (
	"image"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

type screen struct {
	page.Base
	flow *Flow
}

func (s *screen) Init() tea.Cmd {
	s.Overlays().Open(s.flow)
	return s.flow.Init()
}

func (s *screen) Update(msg tea.Msg) tea.Cmd {
	if answer, ok := msg.(page.Then); ok {
		return answer()
	}
	return nil
}

func (s *screen) Actions() []kit.Action                        { return nil }
func (s *screen) View(size image.Point, _ *theme.Theme) string { return text.Fit("", size.X, size.Y) }

type driver struct {
	uitest.Accounts[*driver]
	o      Options
	flow   *Flow
	result Result
	done   bool // the dialog called Done
}

func newDriver(t *testing.T, o Options) *driver {
	t.Helper()
	d := &driver{o: o}
	d.Begin(t, d)
	d.o.Paths, d.o.Keys = d.Paths, d.Keys
	d.o.Done = func(r Result) tea.Cmd {
		d.result, d.done = r, true
		return nil
	}
	return d
}

func (d *driver) open() *driver {
	d.TB.Helper()
	d.flow, d.done = New(d.o), false
	d.Driver = uitest.Drive(d.TB, page.Onboarding, &screen{flow: d.flow}, image.Pt(100, 32))
	return d
}

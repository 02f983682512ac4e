package onboarding

import (
	"image"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// widest is the maximum width of the column.
const widest = 76

// leastIntro is the height from which the introduction is shown.
const leastIntro = 16

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string { return m.sheet(size, th).View(th) }

func (m *Model) sheet(size image.Point, th *theme.Theme) *kit.Sheet {
	s := kit.NewSheet(size, widest)
	if size.X >= kit.MinWidth {
		s = kit.NewSheet(size, min(widest, size.X-4))
	}
	s.Lower(min(3, max(0, (size.Y-16)/4)))
	if m.o.Problem == nil {
		s.Text(kit.NoStop, 0, "Welcome to mediadesk", th.Title)
		if size.Y >= leastIntro {
			s.Gap()
			s.Text(kit.NoStop, 0, "Upload, tag and manage images in an ImageKit-style media library from your terminal.", th.Text)
			s.Gap()
		}
		s.Text(kit.NoStop, 0, "Nothing is written or connected before you choose:", th.Muted)
	} else {
		s.Text(kit.NoStop, 0, m.heading(), th.Title)
		s.Gap()
		m.note(s, m.o.Problem, th)
	}
	s.Gap()
	if m.problem != nil {
		m.note(s, m.problem, th)
		s.Gap()
	}
	if m.busy != "" {
		from := s.Len()
		s.Line(kit.NoStop, th.Sign(theme.SignBusy)+" "+th.Text.Render(text.Safe(m.busy)))
		s.Keep(from)
		return s
	}
	m.cards.Draw(s, 0, th)
	s.Gap()
	s.Text(kit.NoStop, 0, "Press q to quit. You can come back at any time.", th.Muted)
	return s
}

// heading names what could not be opened.
func (m *Model) heading() string {
	switch m.profile.Name {
	case "":
		return "The library could not be opened"
	case config.LocalProfile:
		return "The local library could not be opened"
	}
	return "The account " + m.profile.Name + " could not be opened"
}

// note shows an error in sentences.
func (m *Model) note(s *kit.Sheet, err error, th *theme.Theme) {
	account.DrawNote(s, theme.SignBad, account.Explain(err), th)
}

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

// leastBeside is the width from which the picture is shown.
const leastBeside = 76

// name is the name of the program in large letters.
const name = "█▀▄▀█ █▀▀ █▀▄ █ ▄▀█ █▀▄ █▀▀ █▀ █▄▀\n█ ▀ █ ██▄ █▄▀ █ █▀█ █▄▀ ██▄ ▄█ █▀▄"

// columns returns the width of the choices, and the size of the picture beside them; zero if
// there is no space for it.
func (m *Model) columns(size image.Point) (choices int, room image.Point) {
	if m.o.Problem != nil || size.X < leastBeside || size.Y < leastIntro {
		return size.X, image.Point{}
	}
	choices = max(48, size.X*2/5)
	return choices, image.Pt(size.X-choices-2, size.Y-1)
}

func (m *Model) View(size image.Point, th *theme.Theme) string {
	if m.Overlays().Top() != nil { // half of the picture would stand beside it
		brand := text.If(size.Y >= 32, th.Title.Render(name))
		return kit.OverlayAt(text.Fit("", size.X, size.Y), brand, max(0, size.X-kit.Size(brand).X)/2, 2)
	}
	choices := m.sheet(size, th).View(th)
	if _, room := m.columns(size); m.pictured() {
		return text.Fit(kit.JoinH(choices, " ", m.sample.View(room, th)), size.X, size.Y)
	}
	return choices
}

// pictured reports whether the sample picture is shown.
func (m *Model) pictured() bool { return m.sample.On && !m.sample.Off() }

func (m *Model) sheet(size image.Point, th *theme.Theme) *kit.Sheet {
	width, room := m.columns(size)
	if room.X > 0 && !m.pictured() {
		width = size.X
	}
	s := kit.NewSheet(image.Pt(width, size.Y), text.Either(size.X >= kit.MinWidth, min(widest, width-4), widest))
	s.Lower(max(0, (size.Y-18)/2))
	switch {
	case m.o.Problem == nil && size.Y < leastIntro:
		s.Text(kit.NoStop, 0, "mediadesk", th.Title)
	case m.o.Problem == nil:
		s.Text(kit.NoStop, 0, name, th.Title)
		s.Gap()
		s.Text(kit.NoStop, 0, "Upload, tag and crop images in a media library like ImageKit.", th.Text)
		s.Gap()
	default:
		s.Text(kit.NoStop, 0, m.heading(), th.Title)
		s.Gap()
		s.Note(theme.SignBad, account.Explain(m.o.Problem), th)
	}
	s.Gap()
	if m.problem != nil {
		s.Note(theme.SignBad, account.Explain(m.problem), th)
		s.Gap()
	}
	if m.busy != "" {
		s.Line(kit.NoStop, th.Sign(theme.SignBusy)+" "+th.Text.Render(text.Safe(m.busy)))
		s.Keep(s.Len() - 1)
		return s
	}
	m.form.Draw(s, th)
	return s
}

func (m *Model) heading() string {
	switch m.profile.Name {
	case "":
		return "The library could not be opened"
	case config.LocalProfile:
		return "The local library could not be opened"
	}
	return "The account " + m.profile.Name + " could not be opened"
}

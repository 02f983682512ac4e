package account

import (
	"image"
	"strings"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// widest is how wide the dialogue gets: longer lines are hard to read.
const widest = 76

// labelWidth lines the fields of the form up.
const labelWidth = 16

// View draws the dialogue, exactly filling room.
func (f *Flow) View(room image.Point, th *theme.Theme) string { return f.sheet(room, th).View() }

func (f *Flow) sheet(size image.Point, th *theme.Theme) *kit.Sheet {
	s := kit.NewSheet(size, min(widest, size.X-4))
	if size.X < kit.MinWidth {
		s = kit.NewSheet(size, widest)
	}
	s.Lower(min(2, max(0, (size.Y-16)/4)))
	s.Words(kit.NoStop, 0, f.title(), th.Title)
	s.Gap()
	switch f.step {
	case stepLoading:
		f.drawLoading(s, th)
	case stepForm:
		f.drawForm(s, th)
	case stepTry:
		f.drawBusy(s, "Trying the keyring of this computer…", th)
		s.Words(kit.NoStop, 2, "The key is asked for after that, so that it is not typed in vain. A window of the keyring may ask for its password.", th.Muted)
	case stepWays:
		f.drawWays(s, th)
	case stepKey, stepFile, stepCommand:
		f.drawInput(s, th)
	case stepSaving:
		f.drawBusy(s, savingWords(f.way), th)
	}
	return s
}

func (f *Flow) title() string {
	name := f.profile.Name
	switch {
	case f.o.Mode == Edit:
		return "The account " + f.o.Name
	case f.step == stepForm:
		return "Which account?"
	case f.step == stepLoading:
		return "Account"
	}
	return "The private key of the account " + name
}

func savingWords(w way) string {
	switch w {
	case wayKeyring:
		return "Keeping the key in the keyring…"
	case wayFile:
		return "Reading the key file…"
	case wayCommand:
		return "Running the command…"
	}
	return "Writing the settings…"
}

func (f *Flow) drawLoading(s *kit.Sheet, th *theme.Theme) {
	if f.problem == nil {
		f.drawBusy(s, "Reading the settings…", th)
		return
	}
	f.drawProblem(s, th)
	s.Gap()
	s.Words(kit.NoStop, 0, "Press r to try again, esc to step back.", th.Muted)
}

func (f *Flow) drawBusy(s *kit.Sheet, words string, th *theme.Theme) {
	s.Line(kit.NoStop, th.Sign(theme.SignBusy)+" "+th.Text.Render(words))
	s.Keep(0)
}

// drawProblem shows what went wrong, where the person is.
func (f *Flow) drawProblem(s *kit.Sheet, th *theme.Theme) {
	if f.problem != nil {
		DrawNote(s, theme.SignBad, Explain(f.problem), th)
	}
}

// DrawNote adds a sign with sentences beside it.
func DrawNote(s *kit.Sheet, sign theme.Sign, words string, th *theme.Theme) {
	style := th.SignStyle(sign)
	first := true
	for part := range strings.SplitSeq(words, "\n") {
		for _, line := range text.Wrap(text.Safe(part), s.Width()-2) {
			mark := " "
			if first {
				mark = th.Glyph(sign)
			}
			first = false
			s.Line(kit.NoStop, style.Render(mark+" "+line))
		}
	}
}

func (f *Flow) drawForm(s *kit.Sheet, th *theme.Theme) {
	if f.problem != nil {
		f.drawProblem(s, th)
		s.Gap()
	}
	for _, e := range f.form.entries() {
		from := s.Len()
		switch e {
		case entryKind, entryPlan, entryNaming, entryColour:
			s.Line(int(e), f.form.choice(e).View(s.Width(), th))
		case entryGo:
			s.Gap()
			style := th.Button
			if f.form.at == entryGo {
				style = th.ButtonFocus
			}
			s.Line(int(e), style.Render("[ "+f.goWords()+" ]"))
		default:
			s.Line(int(e), f.form.field(e).View(s.Width(), th))
		}
		if err := f.form.shown(e); err != nil {
			DrawNote(s, theme.SignBad, text.Sentence(err.Error()), th)
		} else if f.form.at == e && e != entryGo {
			s.Words(kit.NoStop, 2, f.hint(e), th.Muted)
		}
		if f.form.at == e {
			s.Keep(from)
		}
		if e == entryKind {
			s.Gap()
		}
	}
}

// goWords are those of the button.
func (f *Flow) goWords() string {
	switch f.o.Mode {
	case Edit:
		return "Save"
	case AddWithEnvironment:
		return "Connect"
	}
	return "Go on to the key"
}

// hint says what a line of the form is for.
func (f *Flow) hint(e entry) string {
	switch e {
	case entryKind:
		if f.form.hosted() {
			return "ImageKit.io: its addresses and the limits of the free plan are filled in."
		}
		return "Any server with the same API, such as another mediadesk that serves its library."
	case entryID:
		return "What follows " + hostedDelivery + " in the addresses of your files. An address of your own may stand here too."
	case entryUpload:
		return "Files are sent there, with the key: https, or http to this computer."
	case entryBase:
		return "Records are read and changed there."
	case entryDelivery:
		return "The stored files are seen there."
	case entryName:
		return "How the account is called here: letters, digits, - and _."
	case entryPlan:
		return f.form.more.planWords()
	case entrySize, entryVideo:
		return "What is larger is not sent: 25 MB, 2 GB. Left empty, the service itself will say."
	case entryFolder:
		return "Where uploads go unless the form says otherwise."
	case entryTags:
		return "Tags that every upload begins with, parted by commas."
	case entryExtensions:
		return "What runs on every upload unless the form says otherwise: names or JSON, parted by commas."
	case entryNaming:
		return map[string]string{
			"here":    "A suffix is made here: sending again can never store twice.",
			"service": "The service adds a suffix: nobody knows the name before the answer.",
			"off":     "Names are sent as they are; what is there already is refused or overwritten.",
		}[f.form.more.choices[e].Value()]
	case entryColour:
		return "How the service spells the background colour of remove-bg."
	case entryWebhook:
		return "The public address in front of the receiver of mediadesk; w on the settings screen tests it and tells how to come to one."
	case entrySecret:
		return "A file, readable by you alone, with what the service signs its posts with. Posts without it are then not believed."
	}
	return ""
}

func (f *Flow) drawWays(s *kit.Sheet, th *theme.Theme) {
	if f.keyring != nil {
		DrawNote(s, theme.SignWarn, keyringWords(f.keyring), th)
		s.Words(kit.NoStop, 0, "So where is the key to be? It is never written in plain text.", th.Text)
	} else {
		s.Words(kit.NoStop, 0, "Where is the key to be? It is never written in plain text.", th.Text)
	}
	f.drawShadow(s, th)
	if f.problem != nil {
		f.drawProblem(s, th)
	}
	s.Gap()
	f.ways.Draw(s, 0, th)
}

// drawShadow warns of a key that would be taken before the one that is asked
// for.
func (f *Flow) drawShadow(s *kit.Sheet, th *theme.Theme) {
	if inEnvironment(f.o.Keys) {
		DrawNote(s, theme.SignWarn, config.KeyVariable+" is set, and the key in it is taken before one in the keyring.", th)
	}
}

func (f *Flow) drawInput(s *kit.Sheet, th *theme.Theme) {
	words := ""
	switch f.step {
	case stepKey:
		words = "Type or paste it; it is not shown."
		if f.way == wayKeyring {
			words += " It goes into the keyring of this computer, which works, and nowhere else."
		} else {
			words += " It is used for this run only and written nowhere."
		}
	case stepFile:
		words = "The path of a file with the key and nothing else in it, readable by you alone: chmod 600. ~/ is your home folder."
	case stepCommand:
		words = "The program and its arguments; its first line of output is the key. It has 10 seconds, and no shell reads it."
	}
	s.Words(kit.NoStop, 0, words, th.Text)
	if f.step == stepKey && f.way == wayKeyring {
		f.drawShadow(s, th)
	}
	s.Gap()
	from := s.Len()
	s.Line(kit.NoStop, f.input.View(s.Width(), th))
	if f.step == stepCommand {
		f.drawCommand(s, th)
	}
	f.drawProblem(s, th)
	s.Gap()
	s.Line(0, th.Button.Render("[ "+f.takeWords()+" ]"))
	s.Keep(from)
}

func (f *Flow) takeWords() string {
	switch f.way {
	case wayKeyring:
		return "Keep it"
	case wayRun:
		return "Use it"
	case wayFile:
		return "Use this file"
	}
	return "Use this command"
}

// drawCommand shows how the command is read.
func (f *Flow) drawCommand(s *kit.Sheet, th *theme.Theme) {
	words, err := splitWords(f.input.Value())
	switch {
	case err != nil:
		DrawNote(s, theme.SignBad, text.Sentence(err.Error()), th)
	case len(words) > 0:
		s.Words(kit.NoStop, 2, "runs "+words[0]+withArguments(words[1:]), th.Muted)
	}
}

func withArguments(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return " with: " + strings.Join(args, " | ")
}

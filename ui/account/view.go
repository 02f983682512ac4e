package account

import (
	"cmp"
	"image"
	"strings"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// widest is the greatest width of the dialog. Longer lines are hard to read.
const widest = 76

// labelWidth aligns the fields of the form.
const labelWidth = 16

// View draws the dialog and fills room exactly.
func (f *Flow) View(room image.Point, th *theme.Theme) string { return f.sheet(room, th).View(th) }

func (f *Flow) sheet(size image.Point, th *theme.Theme) *kit.Sheet {
	s := kit.NewSheet(size, min(widest, size.X-4))
	if size.X < kit.MinWidth {
		s = kit.NewSheet(size, widest)
	}
	s.Lower(min(2, max(0, (size.Y-16)/4)))
	s.Text(kit.NoStop, 0, f.title(), th.Strong)
	s.Gap()
	switch f.step {
	case stepLoading:
		if f.problem == nil {
			f.drawBusy(s, "Reading the settings…", th)
			break
		}
		f.drawProblem(s, th)
		s.Gap()
		s.Text(kit.NoStop, 0, "Press r to try again, esc to step back.", th.Muted)
	case stepForm:
		f.drawForm(s, th)
	case stepTry:
		f.drawBusy(s, "Testing the keyring of this computer…", th)
		s.Text(kit.NoStop, 2, "Then you type the key. A window of the keyring may ask for its password.", th.Muted)
	case stepWays:
		f.drawWays(s, th)
	case stepKey, stepFile, stepCommand:
		f.drawInput(s, th)
	case stepSaving:
		words := map[way]string{
			wayNone: "Writing the settings…", wayKeyring: "Trying the key and storing it in the keyring…",
			wayFile: "Reading the key file…", wayCommand: "Running the command…",
		}
		f.drawBusy(s, cmp.Or(words[f.way], "Trying the key…"), th)
	}
	return s
}

func (f *Flow) title() string {
	switch {
	case f.o.Mode == Edit:
		return "The account " + f.o.Name
	case f.step == stepForm:
		return "Which account?"
	case f.step == stepLoading:
		return "Account"
	}
	return "The private key of the account " + f.profile.Name
}

func (f *Flow) drawBusy(s *kit.Sheet, words string, th *theme.Theme) {
	s.Line(kit.NoStop, th.Sign(theme.SignBusy)+" "+th.Text.Render(words))
	s.Keep(0)
}

// drawProblem shows the error.
func (f *Flow) drawProblem(s *kit.Sheet, th *theme.Theme) {
	if f.problem != nil {
		DrawNote(s, theme.SignBad, Explain(f.problem), th)
	}
}

// DrawNote draws sentences, one per line of words, with a sign beside the first.
func DrawNote(s *kit.Sheet, sign theme.Sign, words string, th *theme.Theme) {
	mark := th.Glyph(sign)
	for part := range strings.SplitSeq(words, "\n") {
		for _, line := range text.Wrap(text.Safe(part), s.Width()-2) {
			s.Line(kit.NoStop, th.SignStyle(sign).Render(mark+" "+line))
			mark = " "
		}
	}
}

func (f *Flow) drawForm(s *kit.Sheet, th *theme.Theme) {
	if f.problem != nil {
		f.drawProblem(s, th)
		s.Gap()
	}
	group := ""
	for _, e := range f.form.entries() {
		if of := groups[e]; f.o.Mode == Edit && of != "" && of != group {
			if group != "" {
				s.Gap()
			}
			group = of
			s.Text(kit.NoStop, 0, of, th.Title)
		}
		from := s.Len()
		switch {
		case f.form.choices[e] != nil:
			s.Line(int(e), f.form.choices[e].View(s.Width(), th))
		case e == entryGo:
			s.Gap()
			style := th.Button
			if f.form.at == entryGo {
				style = th.ButtonFocus
			}
			s.Line(int(e), style.Render("[ "+f.buttonLabel()+" ]"))
		default:
			s.Line(int(e), f.form.fields[e].View(s.Width(), th))
		}
		if err := f.form.shown(e); err != nil {
			DrawNote(s, theme.SignBad, text.Sentence(err.Error()), th)
		} else if f.form.at == e && e != entryGo {
			s.Text(kit.NoStop, 2, f.hint(e), th.Muted)
		}
		if f.form.at == e {
			s.Keep(from)
		}
		if e == entryKind {
			s.Gap()
		}
	}
}

// groups are the headings above the lines of an existing account.
var groups = map[entry]string{
	entryID: "Service", entryUpload: "Service", entryPlan: "Service", entrySize: "Service",
	entryFolder: "Uploads", entryWebhook: "Webhooks",
}

// buttonLabel returns the label of the button.
func (f *Flow) buttonLabel() string {
	switch f.o.Mode {
	case Edit:
		return "Save"
	case AddWithEnvironment:
		return "Connect"
	}
	return "Continue to the key"
}

// hint describes a line of the form.
func (f *Flow) hint(e entry) string {
	switch e {
	case entryKind:
		if f.form.hosted() {
			return "ImageKit.io: its addresses and the limits of the free plan are filled in."
		}
		return "Any server with the same API, such as mediadesk serve on another computer."
	case entryPlan:
		if f.form.ownPlan() {
			return "The limits of your contract."
		}
		return "Files up to " + text.Bytes(f.form.plan().MaxSize) + ", videos up to " + text.Bytes(f.form.plan().MaxVideoSize) + "."
	case entryNaming:
		return map[api.Naming]string{
			api.NameHere:    "mediadesk adds a suffix. A retry after a lost connection does not create a second copy.",
			api.NameService: "The service adds a suffix: the name is not known before the answer.",
			api.NameExact:   "Names are sent unchanged. If one is taken, mediadesk asks before it sends.",
		}[f.form.naming()]
	}
	if isAddress(e) && f.form.address(e) != f.form.text(e) {
		return "mediadesk uses " + f.form.address(e) + "."
	}
	return lines[e].hint
}

func (f *Flow) drawWays(s *kit.Sheet, th *theme.Theme) {
	if f.keyring != nil {
		DrawNote(s, theme.SignWarn, describeKeyring(f.keyring), th)
	}
	s.Text(kit.NoStop, 0, "Where do you want to keep the key? It is never stored in plain text.", th.Text)
	f.drawShadow(s, th)
	f.drawProblem(s, th)
	s.Gap()
	f.ways.Draw(s, 0, th)
}

// drawShadow warns if the environment's key takes precedence over the one being typed.
func (f *Flow) drawShadow(s *kit.Sheet, th *theme.Theme) {
	if inEnvironment(f.o.Keys) {
		DrawNote(s, theme.SignWarn, config.KeyVariable+" is set, and its key is used before one in the keyring.", th)
	}
}

func (f *Flow) drawInput(s *kit.Sheet, th *theme.Theme) {
	words := ""
	switch f.step {
	case stepKey:
		words = "Type or paste the key; it is not shown."
		if f.way == wayKeyring {
			words += " It is stored in the keyring of this computer and nowhere else."
		} else {
			words += " It is used for this run only and not stored."
		}
	case stepFile:
		words = "Path of a file with only the key in it, readable by you alone (chmod 600). ~/ is your home folder."
	case stepCommand:
		words = "A program and its arguments, without a shell. Its first line of output is the key. It has 10 seconds."
	}
	s.Text(kit.NoStop, 0, words, th.Text)
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
	label := map[way]string{wayKeyring: "Store it", wayRun: "Use it", wayFile: "Use this file", wayCommand: "Use this command"}[f.way]
	s.Line(0, th.Button.Render("[ "+label+" ]"))
	s.Keep(from)
}

// drawCommand shows how the command is split.
func (f *Flow) drawCommand(s *kit.Sheet, th *theme.Theme) {
	args, err := splitCommand(f.input.Value())
	switch {
	case err != nil:
		DrawNote(s, theme.SignBad, text.Sentence(err.Error()), th)
	case len(args) == 1:
		s.Text(kit.NoStop, 2, "runs "+args[0], th.Muted)
	case len(args) > 1:
		s.Text(kit.NoStop, 2, "runs "+args[0]+" with: "+strings.Join(args[1:], " | "), th.Muted)
	}
}

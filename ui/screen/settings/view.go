package settings

import (
	"fmt"
	"image"
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// widest is the greatest width of the one-column layout.
const widest = 84

// programRows is the height of the program box: the settings and a description.
const programRows = 7

// leastWide is the least height, in rows, for the layout with boxes side by side.
const leastWide = 18

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.o.Now(), func() string {
		switch {
		case !m.ready:
			return text.Fit(th.Muted.Render("Reading the settings…"), size.X, size.Y)
		case m.wide(size):
			p := m.panes(size, th)
			return text.Fit(kit.JoinV(kit.JoinH(p[0].view(th), p[1].view(th)), kit.JoinH(p[2].view(th), p[3].view(th))), size.X, size.Y)
		}
		return m.column(size, th).View(th)
	})
}

// wide reports whether the boxes are side by side.
func (m *Model) wide(size image.Point) bool {
	return kit.ModeOfWidth(size.X) == kit.Wide && size.Y >= leastWide && m.broken == nil
}

// pane is one box of the wide layout.
type pane struct {
	title   string
	rect    image.Rectangle
	focused bool
	sheet   *kit.Sheet
}

func (p pane) view(th *theme.Theme) string {
	return kit.Box(p.title, p.sheet.View(th), p.rect.Size(), p.focused, th)
}

// panes returns the accounts and the program settings on the left and their details on the right.
func (m *Model) panes(size image.Point, th *theme.Theme) [4]pane {
	left := size.X * 9 / 20
	high := size.Y - max(programRows, len(m.facts())) - 2
	here, p := m.current().section(), m.selected()
	panes := [4]pane{
		{title: "Accounts", rect: image.Rect(0, 0, left, high), focused: here == areaAccounts},
		{title: text.Safe(p.Name), rect: image.Rect(left, 0, size.X, high)},
		{title: "Program", rect: image.Rect(0, high, left, size.Y), focused: here == areaTheme},
		{title: "Files of mediadesk", rect: image.Rect(left, high, size.X, size.Y), focused: here == areaFacts},
	}
	for i := range panes {
		inner := kit.BoxInner(panes[i].rect.Size())
		panes[i].sheet = kit.NewSheet(inner, inner.X-2)
	}
	m.drawAccounts(panes[0].sheet, th)
	m.drawDetails(panes[1].sheet, p, th)
	m.drawProgram(panes[2].sheet, th)
	m.drawFacts(panes[3].sheet, th)
	return panes
}

// rowAt returns the row at a cell of the screen, or [kit.NoStop].
func (m *Model) rowAt(at image.Point) int {
	th := &theme.Theme{}
	switch {
	case !m.ready:
		return kit.NoStop
	case !m.wide(m.size):
		return m.column(m.size, th).StopAt(at.X, at.Y)
	}
	for _, p := range m.panes(m.size, th) {
		if at.In(p.rect) {
			at = at.Sub(p.rect.Min).Sub(kit.BoxOrigin(p.rect.Size()))
			return p.sheet.StopAt(at.X, at.Y)
		}
	}
	return kit.NoStop
}

// click moves to the row under the mouse. A double click uses the account or takes the next option.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	double := m.clicks.Double(msg)
	row := m.rowAt(image.Pt(msg.X, msg.Y))
	if row == kit.NoStop {
		return nil
	}
	cmd := m.goTo(row)
	switch choice := m.choice(); {
	case !double:
		return cmd
	case choice != nil && fixedReason(choice.Fixed) == "":
		return tea.Batch(cmd, m.choose(func(at, n int) int { return (at + 1) % max(1, n) }))
	case m.current().area != areaAccounts:
		return cmd
	}
	if reason := m.noUse(); reason != "" {
		return tea.Batch(cmd, page.Send(page.Toast{Level: page.Info, Text: text.Sentence(reason)}))
	}
	return tea.Batch(cmd, m.useSelected())
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.goTo(m.list.Cursor() - 1)
	case tea.MouseWheelDown:
		return m.goTo(m.list.Cursor() + 1)
	}
	return nil
}

// column draws everything in one column.
func (m *Model) column(size image.Point, th *theme.Theme) *kit.Sheet {
	width := widest
	if size.X >= kit.MinWidth {
		width = min(widest, size.X-2)
	}
	s := kit.NewSheet(size, width)
	heading := func(words string) {
		if s.Len() > 0 {
			s.Gap()
		}
		s.Line(kit.NoStop, th.Title.Render(text.Safe(words)))
	}
	if m.broken != nil {
		heading("The settings cannot be read")
		account.DrawNote(s, theme.SignBad, account.Explain(m.broken), th)
		s.Text(kit.NoStop, 0, "Correct it to change settings here.", th.Muted)
	} else {
		heading("Accounts")
		m.drawAccounts(s, th)
		p := m.selected()
		heading("The account " + p.Name)
		m.drawDetails(s, p, th)
		heading("Program")
		m.drawProgram(s, th)
	}
	heading("Files of mediadesk")
	m.drawFacts(s, th)
	return s
}

// drawAccounts draws one line for each account.
func (m *Model) drawAccounts(s *kit.Sheet, th *theme.Theme) {
	name := 8
	for _, n := range m.config.Names() {
		name = min(24, max(name, text.Width(text.Safe(n))))
	}
	columns := kit.Columns{{Width: min(name, s.Width()/3)}, {Width: 6, Spare: 1}, {Width: 14, Flex: 1, Spare: 2}, {Width: 8}}
	widths := columns.Widths(s.Width() - 2)
	for i, r := range m.rows {
		if r.area != areaAccounts {
			continue
		}
		p := m.config.Profiles[r.name]
		state := ""
		switch p.Name {
		case m.o.Profile.Name:
			state = "in use"
		case m.config.Profile:
			state = "at start"
		}
		cells := []string{text.Safe(p.Name), string(p.Kind), text.Safe(m.host(p)), state}
		mark := theme.SignNone
		if state == "in use" {
			mark = theme.SignGood
		}
		from := s.Len()
		if i == m.list.Cursor() {
			s.Line(i, th.Selected.Render(th.Glyph(mark)+" "+columns.Row(widths, cells...)))
			s.Keep(from)
			continue
		}
		cells[1], cells[2] = th.Muted.Render(cells[1]), th.Muted.Render(cells[2])
		cells[3] = th.Good.Render(cells[3])
		s.Line(i, th.Sign(mark)+" "+columns.Row(widths, cells...))
	}
}

// host returns the name and port of an account's service.
func (m *Model) host(p config.Profile) string {
	if p.Name == m.o.Profile.Name && m.o.Profile.Host != "" {
		return m.o.Profile.Host
	}
	if p.Kind == config.KindLocal {
		return "this computer"
	}
	u, err := url.Parse(p.UploadURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// labelWidth aligns the facts.
const labelWidth = 14

// drawDetails draws the facts of an account.
func (m *Model) drawDetails(s *kit.Sheet, p config.Profile, th *theme.Theme) {
	if p.Kind == "" {
		s.Text(kit.NoStop, 0, "Not in the settings: the command line gave its addresses for this run.", th.Muted)
	}
	for _, f := range m.details(p) {
		style := th.Text
		if f.bad {
			style = th.Warn
		}
		drawFact(s, kit.NoStop, f.label, f.value, style, th)
	}
}

// fact is a label with its value.
type fact struct {
	label, value string
	bad          bool
}

// drawFact draws a label with its wrapped value beside it.
func drawFact(s *kit.Sheet, stop int, label, value string, style interface{ Render(...string) string }, th *theme.Theme) {
	w := min(labelWidth, s.Width()/3)
	lines := text.Wrap(text.Safe(value), s.Width()-w-1)
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		s.Line(stop, th.Label.Render(text.PadRight(label, w))+" "+style.Render(line))
	}
}

// details returns the facts of an account.
func (m *Model) details(p config.Profile) []fact {
	used := p.Name == m.o.Profile.Name
	var facts []fact
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, fact{label: label, value: value})
		}
	}
	switch p.Kind {
	case config.KindLocal:
		add("What", "The local library, inside this program. Nothing leaves this computer.")
		address := m.config.Local.Addr + " once it is used"
		if used && m.o.Profile.Host != "" {
			address = "http://" + m.o.Profile.Host
		}
		add("Address", address)
		add("Folder", m.o.Paths.Library())
	case config.KindHosted, config.KindOwn:
		what := "An account at the hosted service."
		if p.Kind == config.KindOwn {
			what = "An account at a server with the same API."
		}
		add("What", what)
		add("Upload", p.UploadURL)
		if p.BaseURL != p.UploadURL {
			add("API", p.BaseURL)
		}
		add("Delivery", p.DeliveryURL)
	default:
		add("Host", m.o.Profile.Host)
	}
	key := m.places[p.Name]
	switch {
	case p.Kind == "":
		add("Key", m.o.Profile.KeySource)
	case key.words != "":
		facts = append(facts, fact{label: "Key", value: key.words, bad: key.bad})
	default:
		add("Key", "looking…")
	}
	add("Largest file", sizes(p))
	add("Uploads go to", p.Folder)
	add("Tags", strings.Join(p.Tags, ", "))
	add("Extensions", strings.Join(p.Extensions, ", "))
	add("Names", namingTexts[p.Naming])
	if slices.ContainsFunc(p.Extensions, func(x string) bool { return strings.Contains(x, "remove-bg") }) || p.Kind == config.KindOwn {
		add("Color option", string(p.ColorOption))
	}
	if used {
		add("This month", m.usage)
	}
	facts = append(facts, m.receiver(p, used)...)
	add("Signature", m.signature(p))
	add("Settings", m.config.SetIn("profiles."+p.Name))
	return facts
}

// sizes formats the size limits of an account.
func sizes(p config.Profile) string {
	switch {
	case p.MaxSize == 0:
		return ""
	case p.MaxVideoSize == 0 || p.MaxVideoSize == p.MaxSize:
		return text.Bytes(p.MaxSize)
	}
	return fmt.Sprintf("%s, video %s", text.Bytes(p.MaxSize), text.Bytes(p.MaxVideoSize))
}

var namingTexts = map[api.Naming]string{
	api.NameHere:    "unique suffix",
	api.NameService: "unique suffix by the service",
	api.NameExact:   "exact names",
}

// signature describes how an account's webhooks are verified; empty if it has none.
func (m *Model) signature(p config.Profile) string {
	switch {
	case p.Kind != config.KindHosted && p.Kind != config.KindOwn:
		return ""
	case p.WebhookSecretFile != "":
		return "verified with the secrets in " + p.WebhookSecretFile
	case m.o.Getenv(config.SecretVariable) != "":
		return "verified with the secrets in " + config.SecretVariable
	}
	return "not verified: no secret is set"
}

// receiver describes where the service posts its webhooks.
func (m *Model) receiver(p config.Profile, used bool) []fact {
	switch {
	case used && m.o.Profile.Receiver != "":
		return []fact{{label: "Webhooks to", value: m.o.Profile.Receiver + " (w tests it)"}}
	case p.WebhookURL != "":
		return []fact{{label: "Webhooks to", value: p.WebhookURL}}
	case p.Kind == config.KindLocal:
		return []fact{{label: "Webhooks to", value: "http://" + m.config.Webhook.Listen}}
	case used:
		return []fact{{label: "Webhooks to", value: "nowhere: the service cannot reach this computer. Press w to set up a tunnel to " + m.config.Webhook.Listen + ", then e to enter its address."}}
	}
	return nil
}

// drawProgram draws the program settings and a description of the chosen one.
func (m *Model) drawProgram(s *kit.Sheet, th *theme.Theme) {
	for i, r := range m.rows {
		choice := m.choices[r.area]
		if choice == nil {
			continue
		}
		from, shown := s.Len(), *choice
		shown.LabelWidth = min(16, s.Width()*2/5)
		s.Line(i, shown.View(s.Width(), th))
		if i == m.list.Cursor() {
			s.Text(kit.NoStop, 2, m.meaning(r.area), th.Muted)
			s.Keep(from)
		}
	}
}

// meaning describes a program setting.
func (m *Model) meaning(part area) string {
	switch part {
	case areaColors:
		return "Now: " + m.abilities.Findings.Colors + ". A change applies at the next start."
	case areaPictures:
		return "Now: " + m.abilities.Findings.Drawing + ". Press t for details."
	case areaSignal:
		return "When all extensions have finished and the window has no focus."
	case areaUploads:
		return "More uploads wait. A change applies when an account is opened."
	}
	return m.describeTheme()
}

// describeTheme describes the chosen theme.
func (m *Model) describeTheme() string {
	switch config.Theme(m.choices[areaTheme].Value()) {
	case config.ThemeAuto:
		return "Dark or light, like the background of the terminal."
	case config.ThemeDark, config.ThemeLight:
		return "On any background: mediadesk changes it if it is of the other kind."
	case config.ThemeHighContrast:
		return "Contrast of at least 7 to 1, as accessibility guidelines require."
	case config.ThemeNoColor:
		return "Bold, faint and reverse only; symbols are plain letters."
	}
	return "Your theme, from config.toml. Press E to edit it."
}

// drawFacts draws the program's own paths, which can be copied.
func (m *Model) drawFacts(s *kit.Sheet, th *theme.Theme) {
	for i, r := range m.rows {
		if r.area != areaFacts {
			continue
		}
		from := s.Len()
		w := min(labelWidth, s.Width()/3)
		value := text.PadRight(text.TruncateMiddle(text.Safe(r.value), s.Width()-w-1), s.Width()-w-1)
		if i == m.list.Cursor() {
			s.Line(i, th.Selected.Render(text.PadRight(r.label, w)+" "+value))
			s.Keep(from)
			continue
		}
		s.Line(i, th.Label.Render(text.PadRight(r.label, w))+" "+th.Text.Render(value))
	}
}

// describeTerminal describes what is known about the terminal.
func (m *Model) describeTerminal() string {
	var b strings.Builder
	for _, f := range m.abilities.Findings.Lines() {
		b.WriteString(text.PadRight(f.Label, labelWidth) + "  " + f.Value + "\n")
	}
	b.WriteString("\nPicture support is detected by querying the terminal, not by its name. " +
		"The setting Pictures overrides it.")
	return b.String()
}

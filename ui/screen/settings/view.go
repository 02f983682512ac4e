package settings

import (
	"cmp"
	"fmt"
	"image"
	"net/url"
	"path/filepath"
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

// labelWidth aligns the values beside their labels.
const labelWidth = 18

// stopOption is the stop of the first option of a preference. Rows of the list have lower stops.
const stopOption = 1000

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.o.Now(), func() string {
		if !m.ready {
			return text.Fit(th.Muted.Render("Reading the settings…"), size.X, size.Y)
		}
		list, about := m.sheets(size, th)
		if about == nil {
			return list.View(th)
		}
		rule := strings.TrimSuffix(strings.Repeat(th.Border.Render("│")+"\n", size.Y), "\n")
		return text.Fit(kit.JoinH(list.View(th), rule, about.View(th)), size.X, size.Y)
	})
}

// sheets returns the list and, if there is room beside it, what is known about the row under the
// cursor. In a narrow window that is below the row.
func (m *Model) sheets(size image.Point, th *theme.Theme) (list, about *kit.Sheet) {
	margin := 0
	if size.X >= kit.MinWidth {
		margin = 2
	}
	if kit.ModeOfWidth(size.X) == kit.Wide && m.broken == nil {
		left := m.listWidth(size)
		list = kit.NewSheet(image.Pt(left, size.Y), left-2*margin)
		about = kit.NewSheet(image.Pt(size.X-left-1, size.Y), size.X-left-1-2*margin)
		about.Gap()
		about.Text(kit.NoStop, 0, cmp.Or(m.current().name, m.selected().Name), th.Title)
		m.drawAbout(about, th)
	} else {
		list = kit.NewSheet(size, min(widest, size.X-margin))
	}
	if m.broken != nil {
		list.Text(kit.NoStop, 0, "The settings cannot be read", th.Title)
		list.Note(theme.SignBad, account.Explain(m.broken), th)
		list.Text(kit.NoStop, 0, "Correct it to change settings here.", th.Muted)
	}
	group := ""
	for i, r := range m.rows {
		if r.group != group {
			if group = r.group; list.Len() > 0 || about != nil {
				list.Gap()
			}
			list.Line(kit.NoStop, th.Title.Render(group))
		}
		from, here := list.Len(), i == m.list.Cursor()
		list.Line(i, m.drawRow(r, list.Width(), here, th))
		if here && about == nil {
			inner := kit.NewSheet(image.Pt(list.Width()-4, 1), list.Width()-4)
			m.drawAbout(inner, th)
			list.Indent(inner, 4)
		}
		if here {
			list.Keep(from)
		}
	}
	return list, about
}

func (m *Model) listWidth(size image.Point) int { return min(110, max(54, size.X*4/9)) }

// drawRow draws a row of the list.
func (m *Model) drawRow(r row, width int, here bool, th *theme.Theme) string {
	label, value := text.PadRight(text.Safe(r.name), min(labelWidth, width/2)), ""
	sign, style := theme.SignNone, th.Text
	switch r.area {
	case areaAccounts:
		return m.drawAccount(r, width, here, th)
	case areaPreferences:
		value = m.labelOf(r.pref)
		if fixed := m.config.SetIn(r.pref.key); fixed != "" {
			value += " " + fixed
		} else if here {
			value = "< " + value + " >"
		}
	case areaFiles:
		room := width - 4 - text.Width(label)
		if value, style = r.value, th.Muted; text.Width(value) > room && filepath.IsAbs(value) {
			value = "…/" + filepath.Base(value) // the whole path is beside the list
		}
		value = text.TruncateMiddle(text.Safe(value), room)
	}
	if here {
		return th.Selected.Render(text.PadRight(th.Glyph(theme.SignCursor)+" "+label+"  "+value, width))
	}
	return th.Sign(sign) + " " + label + "  " + style.Render(value)
}

// labelOf returns the label of the option of a preference that is shown.
func (m *Model) labelOf(p *preference) string {
	for _, o := range m.optionsOf(p) {
		if o.value == m.values[p.key] {
			return cmp.Or(o.label, text.Safe(o.value))
		}
	}
	return ""
}

// drawAccount draws the line of an account.
func (m *Model) drawAccount(r row, width int, here bool, th *theme.Theme) string {
	name := 8
	for _, n := range m.config.Names() {
		name = min(24, max(name, text.Width(text.Safe(n))))
	}
	columns := kit.Columns{{Width: min(name, width/3)}, {Width: 6, Spare: 1}, {Width: 14, Flex: 1, Spare: 2}, {Width: 8}}
	widths := columns.Widths(width - 2)
	p := m.config.Profiles[r.name]
	state, mark := "", theme.SignNone
	switch p.Name {
	case m.o.Profile.Name:
		state, mark = "in use", theme.SignGood
	case m.config.Profile:
		state = "at start"
	}
	cells := []string{text.Safe(p.Name), string(p.Kind), text.Safe(m.host(p)), state}
	if here {
		return th.Selected.Render(th.Glyph(mark) + " " + columns.Row(widths, cells...))
	}
	cells[1], cells[2], cells[3] = th.Muted.Render(cells[1]), th.Muted.Render(cells[2]), th.Good.Render(cells[3])
	return th.Sign(mark) + " " + columns.Row(widths, cells...)
}

// host returns the name and port of an account's service.
func (m *Model) host(p config.Profile) string {
	if p.Name == m.o.Profile.Name && m.o.Profile.Host != "" {
		return m.o.Profile.Host
	}
	if p.Kind == config.KindLocal {
		return "this computer"
	}
	if u, err := url.Parse(p.UploadURL); err == nil {
		return u.Host
	}
	return ""
}

// click moves to the row under the mouse, or takes the option. A double click uses the account or
// takes the next option.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || !m.ready {
		return nil
	}
	double := m.clicks.Double(msg)
	list, about := m.sheets(m.size, &theme.Theme{})
	stop := list.StopAt(msg.X, msg.Y)
	if left := m.listWidth(m.size); about != nil && msg.X > left {
		stop = about.StopAt(msg.X-left-1, msg.Y)
	}
	var cmd tea.Cmd
	to := func(at, n int) int { return (at + 1) % n }
	switch {
	case stop == kit.NoStop:
		return nil
	case stop >= stopOption:
		double, to = true, func(int, int) int { return stop - stopOption }
	default:
		cmd = m.goTo(stop)
	}
	do, reason := m.useSelected, m.noUse
	switch m.current().area {
	case areaPreferences:
		do, reason = func() tea.Cmd { return m.choose(to) }, m.noChange
	case areaFiles:
		return cmd
	}
	switch {
	case !double:
		return cmd
	case reason() != "":
		return tea.Batch(cmd, page.Tell(page.Info, text.Sentence(reason())))
	}
	return tea.Batch(cmd, do())
}

// drawAbout draws what is known about the row under the cursor.
func (m *Model) drawAbout(s *kit.Sheet, th *theme.Theme) {
	r := m.current()
	switch r.area {
	case areaAccounts:
		m.drawDetails(s, m.selected(), th)
	case areaPreferences:
		s.Text(kit.NoStop, 0, r.pref.about(m), th.Muted)
		if fixed := m.config.SetIn(r.pref.key); fixed != "" {
			s.Note(theme.SignInfo, text.Sentence(fixedReason(fixed)), th)
		}
		s.Gap()
		list, w := m.optionsOf(r.pref), 4
		for _, o := range list {
			w = max(w, min(s.Width()/3, text.Width(text.Safe(cmp.Or(o.label, o.value)))))
		}
		for i, o := range list {
			mark, style := theme.SignNone, th.Text
			if o.value == m.values[r.pref.key] {
				mark, style = theme.SignGood, th.Accent
			}
			first := th.Sign(mark) + " " + style.Render(text.PadRight(text.Safe(cmp.Or(o.label, o.value)), w))
			for _, line := range text.Wrap(o.about, s.Width()-w-4) {
				s.Line(stopOption+i, first+"  "+th.Muted.Render(line))
				first = text.Blanks(w + 2)
			}
		}
		if r.pref.key == "theme" {
			s.Gap()
			s.Line(kit.NoStop, "  "+th.Chip.Render(" tag ")+" "+th.Selected.Render(" selected ")+" "+th.Accent.Render("accent")+" "+
				th.Good.Render("done")+" "+th.Warn.Render("warning")+" "+th.Bad.Render("failed")+" "+th.Muted.Render("hint"))
		}
	case areaFiles:
		s.Text(kit.NoStop, 0, r.about, th.Muted)
		s.Gap()
		s.Text(kit.NoStop, 0, r.value, th.Text)
	}
}

// drawDetails draws the facts of an account, in groups.
func (m *Model) drawDetails(s *kit.Sheet, p config.Profile, th *theme.Theme) {
	what := map[config.Kind]string{
		"":                "Not in the settings: the command line gave its addresses for this run.",
		config.KindLocal:  "The local library, inside this program. Nothing leaves this computer.",
		config.KindHosted: "An account at the hosted service.",
		config.KindOwn:    "An account at a server with the same API.",
	}
	s.Text(kit.NoStop, 0, what[p.Kind], th.Muted)
	for _, group := range m.details(p) {
		for i, f := range slices.DeleteFunc(group, func(f fact) bool { return f.value == "" }) {
			if i == 0 {
				s.Gap()
			}
			style := th.Text
			if f.bad {
				style = th.Warn
			}
			w := min(labelWidth-3, s.Width()/3)
			for j, line := range text.Wrap(text.Safe(f.value), s.Width()-w-1) {
				label := text.If(j == 0, f.label)
				s.Line(kit.NoStop, th.Label.Render(text.PadRight(label, w))+" "+style.Render(line))
			}
		}
	}
}

// fact is a label with its value.
type fact struct {
	label, value string
	bad          bool
}

// details returns the facts of an account in groups. Facts without a value are not shown.
func (m *Model) details(p config.Profile) [][]fact {
	used := p.Name == m.o.Profile.Name
	key := fact{label: "Key", value: m.o.Profile.KeySource}
	if place := m.places[p.Name]; p.Kind != "" && place != nil {
		key.value, key.bad = cmp.Or(place.words, "looking…"), place.bad
	}
	var service []fact
	switch p.Kind {
	case config.KindLocal:
		address := m.config.Local.Addr + " once it is used"
		if used && m.o.Profile.Host != "" {
			address = "http://" + m.o.Profile.Host
		}
		service = []fact{{label: "Address", value: address}, {label: "Folder", value: m.o.Paths.Library()}}
	case config.KindHosted, config.KindOwn:
		service = []fact{
			{label: "Upload", value: p.UploadURL},
			{label: "API", value: text.If(p.BaseURL != p.UploadURL, p.BaseURL)},
			{label: "Delivery", value: p.DeliveryURL},
		}
	default:
		service = []fact{{label: "Host", value: m.o.Profile.Host}}
	}
	color := ""
	if p.Kind == config.KindOwn || slices.ContainsFunc(p.Extensions, func(x string) bool { return strings.Contains(x, "remove-bg") }) {
		color = string(p.ColorOption)
	}
	return [][]fact{
		append(service, key),
		{
			{label: "Largest file", value: sizes(p)},
			{label: "Uploads go to", value: p.Folder},
			{label: "Tags", value: strings.Join(p.Tags, ", ")},
			{label: "Extensions", value: strings.Join(p.Extensions, ", ")},
			{label: "Names", value: namingTexts[p.Naming]},
			{label: "Color option", value: color},
			{label: "This month", value: text.If(used, m.usage)},
		},
		{
			{label: "Webhooks to", value: m.receiver(p, used)},
			{label: "Signature", value: m.signature(p)},
		},
		{{label: "Settings", value: m.config.SetIn("profiles." + p.Name)}},
	}
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

// receiver describes where the service posts its webhooks; empty if unknown.
func (m *Model) receiver(p config.Profile, used bool) string {
	switch {
	case used && m.o.Profile.Receiver != "":
		return m.o.Profile.Receiver + " (w tests it)"
	case p.WebhookURL != "":
		return p.WebhookURL
	case p.Kind == config.KindLocal:
		return "http://" + m.config.Webhook.Listen
	case used:
		return "nowhere: the service cannot reach this computer. Press w to set up a tunnel to " + m.config.Webhook.Listen + ", then e to enter its address."
	}
	return ""
}

// describeTerminal describes what is known about the terminal.
func (m *Model) describeTerminal() string {
	words := ""
	for _, f := range m.abilities.Findings.Lines() {
		words += text.PadRight(f.Label, labelWidth) + "  " + f.Value + "\n"
	}
	return words + "\nPicture support is detected by querying the terminal, not by its name. The setting Pictures overrides it."
}

package settings

import (
	"cmp"
	"fmt"
	"image"
	"net/url"
	"slices"
	"strings"

	"mediadesk/api/job"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.o.Now(), func() string {
		if !m.ready {
			return text.Fit(th.Muted.Render("Reading the settings…"), size.X, size.Y)
		}
		return m.list.View(size, th)
	})
}

// above says that the settings cannot be read.
func (m *Model) above(size image.Point, th *theme.Theme) []string {
	f := kit.NewFacts(size.X, th)
	if m.broken != nil {
		f.Say(th.Title, "The settings cannot be read")
		f.Say(th.Bad, account.Explain(m.broken))
		f.Say(th.Muted, "Correct it to change settings here.")
	}
	return f.Lines()
}

func (m *Model) columns(int) kit.Columns {
	return kit.Columns{{Name: "Name", Width: 18, Middle: true}, {Name: "Value", Width: 20, Flex: 1}, {Name: "", Width: 8, Spare: 1}}
}

// cells returns the cells of a row.
func (m *Model) cells(r row, _ []int, th *theme.Theme) []kit.Cell {
	name := kit.Cell{Text: r.name, Style: th.Strong}
	if r.area == areaAccounts {
		p, state := m.config.Profiles[r.name], ""
		switch p.Name {
		case m.o.Profile.Name:
			state = "in use"
		case m.config.Profile:
			state = "at start"
		}
		return []kit.Cell{name, {Text: text.Safe(string(p.Kind) + " · " + m.host(p)), Style: th.Text}, {Text: state, Style: th.Good}}
	}
	value := m.labelOf(r.pref)
	if fixed := m.config.SetIn(r.pref.key); fixed != "" {
		value += " " + fixed
	} else if m.current().key() == r.key() {
		value = "< " + value + " >"
	}
	return []kit.Cell{name, {Text: value, Style: th.Text}}
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

// brief describes the row under the cursor on a small screen.
func (m *Model) brief(kit.Entry[row]) string {
	if r := m.current(); r.pref != nil {
		about := ""
		for _, o := range m.optionsOf(r.pref) {
			if o.value == m.values[r.pref.key] {
				about = o.about
			}
		}
		return cmp.Or(about, r.pref.about(m))
	}
	return kinds[m.selected().Kind]
}

// describe writes what is known about the row under the cursor.
func (m *Model) describe(_ kit.Entry[row], f *kit.Facts) (title string) {
	th := f.Theme()
	switch r := m.current(); {
	case r.pref != nil:
		m.describePreference(r.pref, f)
		return r.name
	case r.name == "" && r.area == areaPreferences:
		f.Say(th.Muted, "Choices are saved and in effect at once.")
		return "Preferences"
	}
	p := m.selected()
	f.Say(th.Muted, kinds[p.Kind])
	for _, group := range m.details(p) {
		f.Gap()
		for _, fact := range group {
			style := th.Text
			if fact.bad {
				style = th.Warn
			}
			f.Styled(fact.label, fact.value, style)
		}
	}
	return p.Name
}

// kinds describes the kinds of accounts.
var kinds = map[config.Kind]string{
	"":                "Not in the settings: the command line gave its addresses for this run.",
	config.KindLocal:  "The local library, inside this program. Nothing leaves this computer.",
	config.KindHosted: "An account at the hosted service.",
	config.KindOwn:    "An account at a server with the same API.",
}

// describePreference writes the options of a preference and what they do.
func (m *Model) describePreference(p *preference, f *kit.Facts) {
	th := f.Theme()
	f.Say(th.Muted, p.about(m))
	if fixed := m.config.SetIn(p.key); fixed != "" {
		f.Say(th.Info, text.Sentence(fixedReason(fixed)))
	}
	f.Gap()
	list, w := m.optionsOf(p), 4
	for _, o := range list {
		w = max(w, min(f.Width()/3, text.Width(text.Safe(cmp.Or(o.label, o.value)))))
	}
	for _, o := range list {
		mark, style := theme.SignNone, th.Text
		if o.value == m.values[p.key] {
			mark, style = theme.SignGood, th.Accent
		}
		first := th.Sign(mark) + " " + style.Render(text.PadRight(text.Safe(cmp.Or(o.label, o.value)), w))
		for _, line := range text.Wrap(o.about, f.Width()-w-4) {
			f.Draw(first + "  " + th.Muted.Render(line))
			first = text.Blanks(w + 2)
		}
	}
	if p.key == "theme" {
		f.Gap()
		f.Draw(th.Chip.Render(" tag ") + " " + th.Selected.Render(" selected ") + " " + th.Accent.Render("accent") + " " +
			th.Good.Render("done") + " " + th.Warn.Render("warning") + " " + th.Bad.Render("failed") + " " + th.Muted.Render("hint"))
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
			{label: "Size limit", value: sizes(p)},
			{label: "Uploads to", value: p.Folder},
			{label: "Tags", value: strings.Join(p.Tags, ", ")},
			{label: "Extensions", value: strings.Join(p.Extensions, ", ")},
			{label: "Names", value: namingTexts[p.Naming]},
			{label: "Color name", value: color},
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

var namingTexts = map[job.Naming]string{
	job.NameHere:    "unique suffix",
	job.NameService: "unique suffix by the service",
	job.NameExact:   "exact names",
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
		return m.o.Profile.Receiver
	case p.WebhookURL != "":
		return p.WebhookURL
	case p.Kind == config.KindLocal:
		return "http://" + m.config.Webhook.Listen
	case used:
		return "nowhere: the service cannot reach this computer (see docs/webhooks.md)"
	}
	return ""
}

// describeTerminal describes what is known about the terminal.
func (m *Model) describeTerminal() string {
	words := ""
	for _, f := range m.abilities.Findings.Lines() {
		words += text.PadRight(f.Label, 18) + "  " + f.Value + "\n"
	}
	return words + "\nPicture support is detected by querying the terminal, not by its name. The setting Pictures overrides it."
}

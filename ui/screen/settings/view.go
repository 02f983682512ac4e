package settings

import (
	"cmp"
	"fmt"
	"image"
	"net/url"
	"strings"

	"mediadesk/api/job"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func (m *Model) View(size image.Point, th *theme.Theme) string {
	if !m.ready {
		return text.Fit(th.Muted.Render("Reading the settings…"), size.X, size.Y)
	}
	return m.list.View(size, th)
}

func (m *Model) above(size image.Point, th *theme.Theme) []string {
	f := kit.NewFacts(size.X, th)
	if m.broken != nil {
		f.Say(th.Title, "The settings cannot be read")
		f.Say(th.Bad, account.Explain(m.broken))
		f.Say(th.Muted, "Correct it to change settings here.")
	}
	return f.Lines()
}

// nameWidth is the width of the names of accounts and preferences.
const nameWidth = 18

// cells returns the name and the host of an account, or the name and the value of a preference.
func (m *Model) cells(r row, widths []int, th *theme.Theme) []kit.Cell {
	if r.path != "" {
		path := text.TruncateMiddle(text.Safe(text.Home(r.path, m.o.Getenv("HOME"))), max(1, widths[0]-nameWidth-2))
		return []kit.Cell{{Text: text.PadRight(r.name, nameWidth) + "  " + th.Muted.Render(path), Style: th.Text}}
	}
	if r.pref == nil {
		p := m.config.Profiles[r.name]
		sign, state := "", text.If(p.Name == m.config.Profile, "  at start")
		if p.Name == m.o.Profile.Name {
			sign, state = th.Glyph(theme.SignGood), " in use"
		}
		name := text.PadRight(text.ShortName(r.name, nameWidth), nameWidth)
		kind := text.If(p.Kind != config.KindLocal, string(p.Kind)+" · ")
		name += "  " + text.Safe(kind+m.host(p))
		name += text.Blanks(max(2, min(2*nameWidth+5, widths[0]-8)-text.Width(name)))
		state = text.If(text.Width(name+sign+state) <= widths[0], state)
		return []kit.Cell{{Text: name + th.Good.Render(sign) + state, Styled: true}}
	}
	list, at := m.optionsOf(r.pref)
	name := text.PadRight(r.name, nameWidth)
	value := text.PadRight(list[at].label()+text.If(at == 0, m.found(r.pref, th)), min(nameWidth+1, widths[0]-nameWidth-4))
	about := func(after string) string { // what it does, if there is room
		words := text.Blanks(max(2, nameWidth+5-text.Width(after))) + r.pref.about
		return text.If(text.Width(name+after+words) <= widths[0], words)
	}
	switch fixed := m.config.SetIn(r.pref.key); {
	case fixed != "":
		value += "  " + th.Muted.Render(fixed)
	case m.current() == r:
		value = "‹ " + text.Truncate(value, widths[0]-nameWidth-4) + " ›"
		row := text.Either(m.list.InPane(), th.SelectedDim, th.Selected)
		return []kit.Cell{{Text: row.Render(name) + th.ButtonFocus.Render(value) + row.Render(about(value)), Styled: true}}
	}
	value = th.Muted.Render("‹ ") + th.Text.Render(value) + th.Muted.Render(" ›")
	return []kit.Cell{{Text: name + value + th.Muted.Render(about(value)), Style: th.Text}}
}

// found says what an automatic choice is here, in brackets; "" if it says it all.
func (m *Model) found(p *preference, th *theme.Theme) string {
	words := map[string]string{
		"theme": text.Either(th.Dark, "dark", "light"), "colors": m.abilities.Report.Colors,
		"pictures": m.abilities.Method.String(),
	}[p.key]
	words = strings.TrimSpace(words[:max(0, strings.IndexAny(words+",", ",:("))])
	return text.If(words != "", " ("+words+")")
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

func (m *Model) describe(_ kit.Entry[row], f *kit.Facts) (title string) {
	m.preview.Describe(f, m.facts)
	r := m.current()
	return text.Either(r.pref != nil || r.path != "", r.name, "Account "+m.selected().Name)
}

func (m *Model) facts(f *kit.Facts) {
	switch r := m.current(); {
	case r.path != "":
		f.Say(f.Theme().Text, r.about)
		f.Gap()
		f.Say(f.Theme().Muted, r.path)
	case r.pref != nil:
		m.describePreference(r.pref, f)
	default:
		m.describeAccount(m.selected(), f)
	}
}

var kinds = map[config.Kind]string{
	"":                "Not in the settings: the command line gave its URLs for this run.",
	config.KindLocal:  "The local library, inside this program. Nothing leaves this computer.",
	config.KindHosted: "An account at ImageKit.io.",
	config.KindOther:  "An account at a server with the same API.",
}

func (m *Model) describePreference(p *preference, f *kit.Facts) {
	th := f.Theme()
	if fixed := m.config.SetIn(p.key); fixed != "" {
		f.Say(th.Info, text.Sentence(fixedReason(fixed)))
	}
	f.Say(th.Text, p.help)
	f.Gap()
	if p.key == "theme" {
		size := image.Pt(min(f.Width(), 46), 8)
		f.Draw(strings.Split(kit.Box("Sample", strings.Join([]string{
			"   a row  " + th.Muted.Render("a hint"),
			th.Selected.Render(text.PadRight("   the cursor", size.X-2)),
			th.Marked.Render(" " + th.Glyph(theme.SignMarked) + " a mark"),
			"   " + strings.Join([]string{
				th.Chip.Render(" a tag "), th.Field.Render(" a field  "),
				th.ButtonFocus.Render(" Save "),
			}, " "),
			"   " + strings.Join([]string{
				th.Good.Render("done"), th.Warn.Render("warning"), th.Bad.Render("failed"),
			}, "  "),
			"   " + kit.Progress{Done: 2, Total: 3}.Bar(min(24, size.X-6), th),
		}, "\n"), size, true, th), "\n")...)
		f.Gap()
	}
	list, at := m.optionsOf(p)
	w := 4
	for _, o := range list {
		w = max(w, min(f.Width()/2, text.Width(o.label())))
	}
	for i, o := range list {
		mark, style := theme.SignNone, th.Text
		if i == at {
			mark, style = theme.SignGood, th.Accent
		}
		first := th.Sign(mark) + " " + style.Render(text.PadRight(o.label(), w))
		for _, line := range text.Wrap(o.about, f.Width()-w-4) {
			f.Draw(first + "  " + th.Muted.Render(line))
			first = text.Blanks(w + 2)
		}
	}
	f.Gap()
	f.Say(th.Muted, text.If(p.applies != "", "Takes effect "+p.applies+"."))
	f.Gap()
	for _, fact := range m.abilities.Report.Lines() {
		f.Fact(fact.Label, text.If(p.key == "pictures" || p.key == "colors" && fact.Label == "Colors", fact.Value))
	}
}

// describeAccount writes the facts of an account. Facts without a value are not shown.
func (m *Model) describeAccount(p config.Profile, f *kit.Facts) {
	th, used := f.Theme(), p.Name == m.o.Profile.Name
	f.Say(th.Text, kinds[p.Kind])
	f.Gap()
	switch p.Kind {
	case config.KindLocal:
		address := text.Either(used && m.o.Profile.Host != "", m.o.Profile.Host,
			m.config.Local.Addr+" once it is used")
		f.Fact("Address", address)
		f.Fact("Folder", text.Home(m.o.Paths.Library(), m.o.Getenv("HOME")))
	case config.KindHosted, config.KindOther:
		f.Fact("Upload", p.UploadURL)
		f.Fact("API", text.If(p.BaseURL != p.UploadURL, p.BaseURL))
		f.Fact("Delivery", p.DeliveryURL)
	default:
		f.Fact("Host", m.o.Profile.Host)
	}
	place, known := m.places[p.Name]
	switch {
	case place.bad:
		f.Styled("Key", place.words, th.Warn)
	case known || p.Kind != "":
		f.Fact("Key", cmp.Or(place.words, "searching…"))
	default:
		f.Fact("Key", m.o.Profile.KeySource)
	}
	f.Gap()
	f.Fact("Size limit", sizes(p))
	f.Fact("Uploads to", p.Folder)
	f.Fact("Tags", strings.Join(p.Tags, ", "))
	f.Fact("Extensions", strings.Join(p.Extensions, ", "))
	naming := p.Naming
	if !p.NamingChosen && naming == job.NameHere && m.config.SetIn("profiles."+p.Name) == "" {
		naming = job.NameExact // of the screens, see session.Profile.FormNaming
	}
	f.Fact("File names", namingTexts[naming])
	f.Gap()
	f.Fact("Webhooks", strings.TrimPrefix(m.receiver(p, used), "http://"))
	f.Fact("Signature", m.signature(p))
	f.Gap()
	f.Fact("Settings", m.config.SetIn("profiles."+p.Name))
}

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
	job.NameHere:    "with a unique suffix",
	job.NameService: "with a unique suffix from the service",
	job.NameExact:   "kept; signs such as ' become _",
}

// signature describes how an account's webhooks are verified; empty if it has none.
func (m *Model) signature(p config.Profile) string {
	switch {
	case p.Kind != config.KindHosted && p.Kind != config.KindOther:
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

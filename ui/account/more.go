package account

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// more are the lines of the form that an account has once it is there: its
// limits, what its uploads begin with, and its webhooks. The zero value has none.
type more struct {
	fields  map[entry]*kit.Field
	choices map[entry]*kit.Select
}

// ownPlan is the choice of limits that are no plan's.
const ownPlan = "other limits"

var (
	namings = []config.Naming{config.NamingHere, config.NamingService, config.NamingOff}
	colours = []config.ColorOption{config.ColorBritish, config.ColorAmerican}
)

// newMore has the lines for an account as it is.
func newMore(p config.Profile) more {
	field := func(label, placeholder, value string) *kit.Field {
		f := kit.NewField(label, placeholder)
		f.SetValue(value)
		return f
	}
	m := more{
		fields: map[entry]*kit.Field{
			entrySize:       field("Largest file", "not known", sizeText(p.MaxSize)),
			entryVideo:      field("Largest video", "not known", sizeText(p.MaxVideoSize)),
			entryFolder:     field("Folder", "/", p.Folder),
			entryTags:       field("Tags", "sea, boat", strings.Join(p.Tags, ", ")),
			entryExtensions: field("Extensions", "remove-bg", strings.Join(p.Extensions, ", ")),
			entryWebhook:    field("Webhooks to", "https://desk.example.com", p.WebhookURL),
			entrySecret:     field("Webhook secret", "~/.webhook-secret", p.WebhookSecretFile),
		},
		choices: map[entry]*kit.Select{
			entryPlan:   kit.NewSelect("Plan"),
			entryNaming: kit.NewSelect("Unique names"),
			entryColour: kit.NewSelect("Colour option"),
		},
	}
	plan := m.choices[entryPlan]
	for _, known := range config.Plans() {
		plan.Options = append(plan.Options, known.Name)
		if known.MaxSize == p.MaxSize && known.MaxVideoSize == p.MaxVideoSize {
			plan.SetIndex(len(plan.Options) - 1)
		}
	}
	plan.Options = append(plan.Options, ownPlan)
	if i := plan.Index(); config.Plans()[i].MaxSize != p.MaxSize || config.Plans()[i].MaxVideoSize != p.MaxVideoSize {
		plan.SetIndex(len(plan.Options) - 1)
	}
	for _, n := range namings {
		m.choices[entryNaming].Options = append(m.choices[entryNaming].Options, string(n))
	}
	m.choices[entryNaming].SetIndex(slices.Index(namings, p.Naming))
	for _, c := range colours {
		m.choices[entryColour].Options = append(m.choices[entryColour].Options, string(c))
	}
	m.choices[entryColour].SetIndex(slices.Index(colours, p.ColorOption))
	return m
}

// entries are the lines that an account of that kind has, in their order.
func (m more) entries(kind config.Kind) []entry {
	uploads := []entry{entryFolder, entryTags, entryExtensions, entryNaming, entryColour}
	sizes := []entry{entrySize, entryVideo}
	switch {
	case m.fields == nil:
		return nil
	case kind == config.KindLocal:
		return uploads // its limit is one for all, and its posts stay on this computer
	case kind == config.KindHosted && m.ownPlan():
		sizes = append([]entry{entryPlan}, sizes...)
	case kind == config.KindHosted:
		sizes = []entry{entryPlan}
	}
	return slices.Concat(sizes, uploads, []entry{entryWebhook, entrySecret})
}

func (m more) ownPlan() bool { return m.choices[entryPlan].Value() == ownPlan }

// planWords says the limits of the plan that is chosen.
func (m more) planWords() string {
	if m.ownPlan() {
		return "The limits that the contract names."
	}
	plan := config.Plans()[m.choices[entryPlan].Index()]
	return "Files up to " + text.Bytes(plan.MaxSize) + ", videos up to " + text.Bytes(plan.MaxVideoSize) + "."
}

// fill is the account with what the lines say. What cannot be read stays as it
// was: check says so.
func (m more) fill(p config.Profile) config.Profile {
	if m.fields == nil {
		return p
	}
	text := func(e entry) string { return strings.TrimSpace(m.fields[e].Value()) }
	if p.Kind == config.KindHosted && !m.ownPlan() {
		plan := config.Plans()[m.choices[entryPlan].Index()]
		p.MaxSize, p.MaxVideoSize = plan.MaxSize, plan.MaxVideoSize
	} else if p.Kind != config.KindLocal {
		if n, err := parseSize(text(entrySize)); err == nil {
			p.MaxSize = n
		}
		if n, err := parseSize(text(entryVideo)); err == nil {
			p.MaxVideoSize = n
		}
	}
	if folder := text(entryFolder); folder != p.Folder {
		p.Folder = folder
		if clean, err := api.CleanFolder(folder); err == nil && folder != "" {
			p.Folder = clean
		}
	}
	p.Tags = api.SplitTags(text(entryTags))
	p.Extensions = splitExtensions(text(entryExtensions))
	p.Naming = config.Naming(m.choices[entryNaming].Value())
	p.ColorOption = config.ColorOption(m.choices[entryColour].Value())
	p.WebhookURL, p.WebhookSecretFile = text(entryWebhook), text(entrySecret)
	return p
}

// settingOf are the keys of the settings file that the lines stand for.
var settingOf = map[entry]string{
	entryFolder: "folder", entryTags: "tags", entryExtensions: "extensions",
	entryWebhook: "webhook_url", entrySecret: "webhook_secret_file",
}

// check says what is wrong with a line; nil where nothing is.
func (m more) check(old config.Profile, e entry) error {
	switch e {
	case entrySize, entryVideo:
		_, err := parseSize(m.fields[e].Value())
		return err
	case entryFolder:
		if folder := strings.TrimSpace(m.fields[e].Value()); folder != "" {
			if _, err := api.CleanFolder(folder); err != nil {
				return err
			}
		}
	}
	key, what := m.fill(old).Problem()
	switch {
	case key == "" || key != settingOf[e]:
		return nil
	case strings.HasPrefix(what, `"`):
		return errors.New(what)
	}
	return errors.New("this " + what)
}

// sizeText writes a limit so that parseSize reads it back; 0 is not known.
func sizeText(n int64) string {
	switch {
	case n == 0:
		return ""
	case n%1_000_000_000 == 0:
		return strconv.FormatInt(n/1_000_000_000, 10) + " GB"
	case n%1_000_000 == 0:
		return strconv.FormatInt(n/1_000_000, 10) + " MB"
	}
	return strconv.FormatInt(n, 10)
}

// sizeUnits are the words that may follow the number of a size.
var sizeUnits = map[string]int64{
	"": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

// parseSize reads a size such as "25 MB" or "25000000"; empty is 0.
func parseSize(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit, known := sizeUnits[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n < 1 || n > (1<<62)/unit {
		return 0, fmt.Errorf("%q is no size: give one such as 25 MB, or a number of bytes", text)
	}
	return n * unit, nil
}

// splitExtensions parts names and JSON objects of extensions at the commas
// between them.
func splitExtensions(text string) []string {
	var list []string
	depth, begin, quoted := 0, 0, false
	take := func(end int) {
		if one := strings.TrimSpace(text[begin:end]); one != "" {
			list = append(list, one)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth <= 0:
			take(i)
			begin = i + 1
		}
	}
	take(len(text))
	return list
}

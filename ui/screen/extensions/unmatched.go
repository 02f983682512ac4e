package extensions

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// unmatchedGroup is the group of unmatched webhooks, including account events.
const unmatchedGroup = "Webhooks that match no run"

// webhook is an unmatched webhook.
type webhook struct {
	api.UnmatchedPost
	id   int64
	post api.HookPost // parsed; empty if it was truncated
}

func webhooksOf(posts []api.UnmatchedPost) []webhook {
	list := make([]webhook, len(posts))
	for i, p := range posts {
		list[i] = webhook{UnmatchedPost: p, id: -1 - int64(len(posts)-1-i)}
		list[i].post, _ = api.ParseHookPost(p.Raw) // truncated ones were parsed on arrival
	}
	return list
}

// webhook returns the webhook of a row, or nil for a run.
func (m *Model) webhook(row int) *webhook {
	if at := row - len(m.runs.all); at >= 0 && at < len(m.runs.unmatched) {
		return &m.runs.unmatched[at]
	}
	return nil
}

// unmatched returns the group of webhooks that match the filter. They are shown with runs of every
// status.
func (r rows) unmatched(words []string) []kit.Group {
	g := kit.Group{Key: unmatchedGroup}
	for i := range r.runs.unmatched {
		w := &r.runs.unmatched[i]
		if r.runs.status == every && text.HasAll(words, w.title(), w.file(), string(w.Status), w.Reason) {
			g.Rows = append(g.Rows, len(r.runs.all)+i)
		}
	}
	if len(g.Rows) == 0 {
		return nil
	}
	return []kit.Group{g}
}

// title returns the event type or the extension.
func (w *webhook) title() string { return cmp.Or(w.Extension, "webhook") }

// short returns the title without the part that the status says.
func (w *webhook) short() string {
	title := w.title()
	if at := strings.LastIndexByte(title, '.'); at > 0 && w.Status != "" {
		return title[:at]
	}
	return title
}

// file returns what the webhook is about, or "".
func (w *webhook) file() string { return cmp.Or(w.post.Name, w.FileID) }

func (w *webhook) cells(now time.Time, th *theme.Theme) []kit.Cell {
	mark := sign(w.Status)
	if w.Status == "" {
		mark = theme.SignInfo
	}
	return []kit.Cell{
		{Text: w.file(), Style: th.Text},
		{Text: w.short(), Style: th.Accent},
		{Text: th.Glyph(mark) + " " + text.Safe(string(w.Status)), Style: th.SignStyle(mark)},
		{Text: text.Age(w.At, now), Style: th.Muted},
		{Text: w.Reason, Style: th.Muted},
	}
}

func (w *webhook) describe(f *kit.Facts, now time.Time) (title string) {
	th := f.Theme()
	f.Say(th.Text, text.Sentence(w.Reason))
	f.Say(th.Muted, "It had no effect. enter shows it in full.")
	f.Say(th.Bad, w.post.Error)
	f.Gap()
	f.Fact("Says", string(w.Status))
	f.Fact("File", w.post.Name)
	f.Fact("File id", w.FileID)
	f.Fact("Came", text.When(w.At, now))
	if w.Times > 1 {
		f.Fact("Times", text.Count(w.Times))
	}
	return w.title()
}

// raw returns the raw webhook.
func (w *webhook) raw() string { return pretty(w.Raw) }

func (m *Model) goToUnmatched() tea.Cmd {
	if w := m.runs.unmatched; !m.list.Go(w[0].id) {
		// They may be hidden by a filter.
		m.runs.status = every
		m.list.SetFilter("")
		m.list.Arrange()
		m.list.Go(w[0].id)
	}
	return nil
}

// Disabled reasons, empty if enabled.

func (m *Model) noUnmatched() string {
	return text.If(len(m.runs.unmatched) == 0, "all webhooks match a run")
}

func (m *Model) noRun() string {
	if row, ok := m.list.Row(); ok && m.webhook(row) != nil {
		return "this webhook matches no run"
	}
	return m.list.NoRow()
}

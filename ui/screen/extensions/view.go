package extensions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"reflect"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string {
	return m.Draw(size, th, m.o.Now(), func() string { return m.list.View(size, th) })
}

// drawTotals describes all runs and the filter.
func (m *Model) drawTotals(th *theme.Theme) string {
	r := &m.runs
	if len(r.all) == 0 {
		return th.Muted.Render("No runs")
	}
	var parts []string
	for _, c := range []struct {
		n     int
		word  string
		style lipgloss.Style
	}{
		{r.pending, "pending", th.Strong},
		{r.success, "success", th.Good},
		{r.failed, "failed", th.Bad},
	} {
		style := c.style
		if c.n == 0 {
			style = th.Muted
		}
		parts = append(parts, style.Render(text.Count(c.n)+" "+c.word))
	}
	line := strings.Join(parts, th.Muted.Render(" · "))
	if r.status != every {
		line += th.Muted.Render(" · ") + th.Accent.Render("showing "+statusNames[r.status]+" only")
	}
	return line
}

// empty explains an empty list.
func (m *Model) empty() string {
	switch {
	case !m.runs.read:
		return "Reading the runs…"
	case len(m.runs.all) == 0:
		return "No extension was requested yet. Choose background removal or tagging in the upload form (1, pick a file, u): " +
			"each run is then listed here with its status."
	case m.list.Filter() != "":
		return "No matching extension, path or status. Press esc to clear the filter."
	}
	return "No run is " + statusNames[m.runs.status] + ". Press esc to see all."
}

// columns returns the columns for a width.
func columns(width int) kit.Columns {
	cols := kit.Columns{
		{Name: "Name", Width: 20, Flex: 4, Middle: true},
		{Name: "Extension", Width: 12, Flex: 1, Spare: 1, Middle: true},
		{Name: "State", Width: 9},
		{Name: "Age", Width: 11, Spare: 3},
		{Name: "Note", Width: 20, Flex: 2, Spare: 2},
	}
	if width >= 92 {
		cols[1].Width, cols[1].Flex = 20, 0
	}
	return cols
}

// cells returns the cells of a run.
func (m *Model) cells(row int, _ []int, th *theme.Theme) []kit.Cell {
	run, now := &m.runs.all[row], m.o.Now()
	mark := sign(run.Status)
	style, rest := th.SignStyle(mark), th.Muted
	if run.Status == api.StatusFailed {
		rest = style
	}
	return []kit.Cell{
		{Text: folderOf(run), Style: th.Text},
		{Text: run.Extension, Style: th.Accent},
		{Text: th.Glyph(mark) + " " + text.Safe(string(run.Status)), Style: style},
		{Text: age(run, now), Style: th.Muted},
		{Text: text.Safe(m.news(run, now)), Style: rest},
	}
}

// folderOf returns the label for the file of a run.
func folderOf(run *api.Run) string { return cmp.Or(run.FilePath, run.FileID) }

// brief describes what small screens omit.
func (m *Model) brief(e kit.Entry[int]) string {
	if e.Head() {
		return m.runs.tallyOf(e.Rows).String()
	}
	run, now := &m.runs.all[e.Row], m.o.Now()
	return run.Extension + " · " + age(run, now) + " · " + m.news(run, now)
}

// sign returns the sign of a status.
func sign(s api.Status) theme.Sign {
	switch s {
	case api.StatusPending:
		return theme.SignWait
	case api.StatusSuccess:
		return theme.SignGood
	case api.StatusFailed:
		return theme.SignBad
	}
	return theme.SignUnknown
}

// age returns the duration of a pending run, or the age of its result.
func age(run *api.Run, now time.Time) string {
	if !run.Status.Final() {
		return text.Duration(now.Sub(run.Started))
	}
	return text.Age(run.At, now)
}

// known describes the source of a status.
func known(run *api.Run) string {
	switch run.From {
	case api.FromWebhook:
		return "webhook" // the column before has the age, the pane the date
	case api.FromDetails:
		return "seen in details"
	case api.FromRequest:
		return "the request; no status in its answer"
	}
	return run.From
}

// news returns the last column: the source of the result, or what will provide it.
func (m *Model) news(run *api.Run, now time.Time) string {
	if !run.Status.Final() {
		short, _ := m.ahead(run, now)
		return short
	}
	words := known(run)
	if run.Denied != "" {
		words = "a later post says " + string(run.Denied) + "; " + words
	}
	if run.Error != "" {
		words += ": " + run.Error
	}
	return words
}

// ahead describes how the result of a pending run will arrive, briefly and in a sentence.
func (m *Model) ahead(run *api.Run, now time.Time) (short, long string) {
	next, looked := m.o.Watch.NextCheck(run.FileID)
	_, err := m.o.Watch.LastCheck(run.FileID)
	return ahead(run, now, next, looked && showsEffect(run), err)
}

// ahead describes how the result will arrive if the file is checked next at a time, unless looked is
// false, and err is the error of the last check. Only webhooks report failures; polling cannot see them.
func ahead(run *api.Run, now, next time.Time, looked bool, err error) (short, long string) {
	hooked := run.Webhook && now.Sub(run.Started) < session.HookTTL
	check := text.If(looked, "next check "+text.In(next, now))
	silence := "no news for " + text.Duration(now.Sub(lastNews(run)))
	if d := now.Sub(lastNews(run)); d < time.Hour {
		silence = fmt.Sprintf("no news for %d min", int(d.Minutes()))
	}
	switch quiet := quiet(run, now); {
	case quiet && looked && err != nil:
		short = silence + "; the last check failed, " + strings.TrimPrefix(check, "next check ")
		long = text.Capital(silence) + ", and the last check of the file failed: " + err.Error() + "."
	case quiet && looked && hooked:
		short = silence + "; only a webhook would report a failure"
		long = text.Capital(silence) + ". The file does not show success; only a webhook would report a failure."
	case quiet && looked:
		short = silence + "; a failure would not be reported"
		long = text.Capital(silence) + ". Only a webhook would report a failure, and none was requested: it may have failed."
	case quiet && hooked:
		return silence + "; waits for a webhook", text.Capital(silence) + ". Only a webhook can show the result; the service repeats a lost one for up to 24 h."
	case looked && hooked:
		short, long = check+", or a webhook", "A webhook or the file's details will show the result."
	case looked:
		short, long = check, "No webhook was requested. mediadesk checks the file's details."
	case hooked:
		return "waits for a webhook", "Only a webhook can show the result."
	case run.Webhook:
		return "no news in 25 h: unknown", "No webhook arrived within 25 h, and late ones are not accepted. Check the file's details (i)."
	default:
		return "the result stays unknown", "The result stays unknown: no webhook was requested, and the file's details do not show it. Check the file (i)."
	}
	return short, long + " " + text.Capital(check) + "."
}

// options returns the requested options as JSON, or "" if none or unknown.
func options(run *api.Run) string {
	if run.Asked == nil || reflect.DeepEqual(*run.Asked, api.Extension{Name: run.Asked.Name}) {
		return ""
	}
	text, _ := json.Marshal(run.Asked) // it was read from JSON
	return string(text)
}

// showsEffect reports whether a record can show that the extension is done.
func showsEffect(run *api.Run) bool {
	return api.IsTagging(run.Extension) || run.Extension == api.RemoveBackground || run.Extension == api.AutoDescription ||
		run.Extension == api.AITasks && run.Asked != nil
}

// verdict explains why an event had no effect on the run.
func verdict(run *api.Run, e *api.RunEvent, ended bool) string {
	if e.Applied {
		return ""
	}
	if post, err := api.ParseHookPost(e.Raw); err == nil && post.FileID != "" && post.FileID != run.FileID {
		return "ignored: it names another file"
	}
	switch {
	case !e.Status.Final():
		return "ignored: the run continues"
	case ended:
		return "ignored: the run was finished"
	}
	return "nothing was changed"
}

// pretty indents JSON and leaves other text unchanged.
func pretty(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

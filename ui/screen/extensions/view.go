package extensions

import (
	"cmp"
	"fmt"
	"image"
	"path"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"
	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

func (m *Model) View(size image.Point, th *theme.Theme) string { return m.list.View(size, th) }

func (m *Model) totals(th *theme.Theme) string {
	r := &m.runs
	var parts []string
	for _, c := range []struct {
		n     int
		word  string
		style lipgloss.Style
	}{
		{r.failed, "failed", th.Bad},
		{r.pending, "pending", th.Strong},
		{r.success, "done", text.Either(r.failed+r.pending > 0, th.Muted, th.Good)},
	} {
		if c.n > 0 {
			parts = append(parts, c.style.Render(text.Count(c.n)+" "+c.word))
		}
	}
	if r.status != every {
		parts = append([]string{th.Accent.Render("showing " + statusNames[r.status] + " only")}, parts...)
	}
	if marked := m.list.MarkedNote(); marked != "" {
		parts = append(parts, th.Marked.Render(marked))
	}
	return strings.Join(parts, th.Muted.Render(" · "))
}

func (m *Model) empty() string {
	switch {
	case !m.runs.read:
		return "Reading the runs…"
	case len(m.runs.all) == 0:
		return "No extension was requested yet. Add background removal or tagging in the upload form, or with x in the library."
	case m.list.Filter() != "":
		return "No matching extension, path or status. Press esc to clear the filter."
	}
	return "No run is " + statusNames[m.runs.status] + ". Press esc to see all."
}

// columns returns the columns, the age only if there is plenty of room. The state has the reason of
// a failure, and what a pending run waits for.
func columns(width int) kit.Columns {
	return kit.Columns{
		{Name: "Name", Width: 16, Flex: 2, Middle: true},
		{Name: "Age", Width: text.Either(width < 80, 0, 10), Right: true, Spare: 2},
		{Name: "Extension", Width: text.Either(width < 60, 10, 18), Flex: 4, Spare: 1, Middle: true},
		{Name: "Result", Width: 14, Flex: 4},
	}
}

func (m *Model) cells(row int, widths []int, th *theme.Theme) []kit.Cell {
	run, now := &m.runs.all[row], m.o.Now()
	mark := sign(run.Status)
	glyph, frames := th.Glyph(mark), spinner.MiniDot.Frames
	if mark == theme.SignWait && len(glyph) > 1 { // not in ASCII
		glyph = frames[int(now.UnixMilli()/spinner.MiniDot.FPS.Milliseconds())%len(frames)]
	}
	state, style := text.Either(mark == theme.SignGood, "done", string(run.Status)), th.SignStyle(mark)
	if reason := m.reason(run, now); reason != "" {
		state += ": " + reason
	} else if found := m.names(run); len(found) > 0 {
		state = text.List(found, max(0, widths[3]-2))
	}
	words := text.Either(mark == theme.SignGood, th.Muted, style).Render(text.Safe(state))
	return []kit.Cell{
		{Text: text.Safe(path.Base(m.fileOf(run))), Style: th.Text},
		{Text: age(run, now), Style: th.Muted},
		{Text: text.Safe(edit.LabelRun(run)), Style: th.Muted},
		{Text: style.Render(glyph) + " " + words, Style: style},
	}
}

// fileOf returns the path of a run's file, the newest one that is known.
func (m *Model) fileOf(run *job.Run) string {
	return cmp.Or(m.file(run).FilePath, run.FilePath, run.FileID)
}

func sign(s api.Status) theme.Sign {
	known := map[api.Status]theme.Sign{
		api.StatusPending: theme.SignWait, api.StatusSuccess: theme.SignGood, api.StatusFailed: theme.SignBad,
	}
	return cmp.Or(known[s], theme.SignUnknown)
}

// age returns the duration of a pending run, or the age of its result.
func age(run *job.Run, now time.Time) string {
	if !run.Status.Final() {
		return text.Duration(now.Sub(run.Started))
	}
	return text.Age(run.At, now)
}

// reason says why a run failed, or how the result of a pending one will arrive.
func (m *Model) reason(run *job.Run, now time.Time) string {
	if !run.Status.Final() {
		short, _ := m.expected(run, now)
		return short
	}
	return run.Error
}

// expected describes how the result of a pending run will arrive, briefly and in a sentence. Only
// webhooks report failures.
func (m *Model) expected(run *job.Run, now time.Time) (short, long string) {
	next, polled, err := m.o.Watch.NextPoll(run.FileID)
	return expected(run, now, next, polled && watch.Observable(run), err)
}

func expected(run *job.Run, now, next time.Time, polled bool, err error) (short, long string) {
	switch hooked := run.Webhook && now.Sub(run.Started) < watch.HookTTL; {
	case polled:
		short = "check " + text.In(next, now)
		long = "The service is still working on it. " + text.Either(hooked, "The result will appear here.", "A failure cannot be seen: no webhook reaches this computer.")
	case hooked:
		short, long = "waits for a webhook", "Still waiting for the service: it reports the end by webhook, and repeats a lost one for up to 24 h."
	default:
		return "the result stays unknown", "No webhook is expected, and the file's details do not show the result. Check the file (i)."
	}
	last := text.Either(run.At.After(run.Started), run.At, run.Started)
	if silent := now.Sub(last); silent >= quietPeriod {
		short = "no news for " + text.Duration(silent.Truncate(time.Minute)) + "; " + short
	}
	if err != nil {
		long += " The last check failed: " + err.Error() + "."
	}
	return short, long
}

func (m *Model) describe(e kit.Entry[int], out *kit.Facts) (title string) {
	run := &m.runs.all[e.Row]
	m.preview.Describe(out, func(f *kit.Facts) { m.describeRun(f, run, m.o.Now()) })
	return path.Base(m.fileOf(run))
}

func (m *Model) describeRun(f *kit.Facts, run *job.Run, now time.Time) {
	th, mark := f.Theme(), sign(run.Status)
	style, took := th.SignStyle(mark), strings.ReplaceAll(text.Duration(run.At.Sub(run.Started)), " ", "\u00a0")
	words := string(run.Status) + " in " + took
	switch {
	case run.Status == api.StatusSuccess:
		words = "done in " + took
	case !run.Status.Final():
		words = string(run.Status) + " for " + text.Duration(now.Sub(run.Started))
	}
	f.Say(style, th.Glyph(mark)+" "+edit.LabelRun(run)+": "+words)
	f.Say(th.Bad, run.Error)
	if !run.Status.Final() {
		_, long := m.expected(run, now)
		f.Say(th.Text, long)
	}
	if run.Status == api.StatusFailed {
		f.Say(th.Text, "The service does not retry. Press r to run it again.")
	}
	f.Gap()
	m.describeTags(f, run)
	f.Gap()
	f.Say(th.Text, m.fileOf(run))
	file := m.file(run) // as it is now: without its background it is a PNG
	f.Say(th.Muted, edit.FactsOf(&file)[0])
	f.Say(th.Muted, "requested "+text.When(run.Started, now))
}

// foundTags returns the tags in a file that a finished run has found.
func (m *Model) foundTags(run *job.Run) []api.AITag {
	if !rule.IsTagging(run.Extension) || run.Status != api.StatusSuccess {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.file(run).AITags.Or(nil)), func(tag api.AITag) bool {
		return !strings.EqualFold(tag.Source, run.Extension)
	})
}

func (m *Model) describeTags(f *kit.Facts, run *job.Run) {
	file, th := m.file(run), f.Theme()
	var found []string
	for _, tag := range m.foundTags(run) {
		taken := text.If(slices.Contains(file.Tags.Or(nil), tag.Name), "  (is a tag)")
		found = append(found, fmt.Sprintf("%3.0f %%  %s", tag.Confidence, tag.Name)+taken)
	}
	if len(found) > 0 {
		f.Say(th.Strong, "AI tags")
		f.Say(th.Text, strings.Join(found, "\n"))
	}
}

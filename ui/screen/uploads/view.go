package uploads

import (
	"cmp"
	"fmt"
	"image"
	"path"
	"strings"
	"time"

	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string { return m.list.View(size, th) }

// above returns warnings about the service or the journal.
func (m *Model) above(_ image.Point, th *theme.Theme) []string {
	warn := func(words string) []string {
		return []string{th.Warn.Render(" " + th.Glyph(theme.SignWarn) + " " + words)}
	}
	switch o, now := m.rows.Offline, m.o.Now(); {
	case m.rows.Err != nil:
		words := " The journal cannot be written: " + text.Safe(m.rows.Err.Error())
		return []string{th.Bad.Render(" " + th.Glyph(theme.SignBad) + words)}
	case !o.Since.IsZero():
		return warn("offline: " + text.Safe(o.Host) + " · next try " + text.In(o.Next, now) + " · r now")
	case m.rows.Hold.After(now):
		return warn("The service asked for a pause; sending goes on " + text.In(m.rows.Hold, now))
	}
	return nil
}

// totals is the note of the list: how much is stored, with a bar while uploads go on, and what is not.
func (m *Model) totals(th *theme.Theme) string {
	t, counts := &m.rows.Totals, count{}
	for _, g := range m.rows.folders {
		for state, n := range g.count {
			counts[state] += n
		}
	}
	if counts.total() == 0 {
		return ""
	}
	parts := summary(counts, th)[:counts.ended()]
	if m.busy() {
		parts[0] += " " + kit.Progress{Done: t.Sent, Total: t.Total}.Bar(groupBar, th)
	}
	if len(m.rows.earlier) >= maxEarlier {
		parts = append(parts, th.Muted.Render("the last ones"))
	}
	if marked := m.list.MarkedNote(); marked != "" {
		parts = append(parts, th.Marked.Render(marked))
	}
	return strings.Join(parts, th.Muted.Render(" · "))
}

func (m *Model) busy() bool {
	return m.rows.Totals.Count[job.Waiting]+m.rows.Totals.Count[job.Sending] > 0
}

// footer says how fast uploads go on and how long.
func (m *Model) footer() string {
	t := &m.rows.Totals
	if !m.busy() || m.list.Inside().Dx() < kit.MinWidth {
		return ""
	}
	return strings.Trim(text.Rate(t.Rate)+text.If(t.Left > 0, " · about "+text.About(t.Left)+" left"), " ·")
}

func (m *Model) empty() string {
	switch {
	case m.list.Filter() != "" && m.rows.all > 0:
		return "No upload has this in its name or state. Press esc to clear the filter."
	case !m.rows.read:
		return "Reading what was sent…"
	}
	return "No uploads yet. Press " + page.Picker.Key + " to pick files."
}

// columns returns the columns for a list of the given width. The folder is in the heading. The
// state has the progress of a running upload and the reason of a failed one.
func columns(width int) kit.Columns {
	return kit.Columns{
		{Name: "Name", Width: max(8, text.Either(width < 50, width-16, width*2/5)), Flex: 2, Middle: true}, // it stays while states change
		{Name: "Size", Width: 8, Right: true, Spare: 1},
		{Name: "State", Width: 14, Flex: 4},
	}
}

func (m *Model) cells(n int, widths []int, th *theme.Theme) []kit.Cell {
	r, now := m.rows.row(n), m.o.Now()
	mark := sign(r)
	style, more := th.SignStyle(mark), note(r, now)
	rest := text.Either(failed(r.Job.State), style, th.Muted)
	state := style.Render(th.Glyph(mark)+" ") + text.Either(mark == theme.SignGood, th.Muted, style).Render(status(r))
	if r.Job.State == job.Refused && m.list.PaneShown() {
		more = "" // the pane has the reason
	}
	if r.Job.State == job.Sending && !r.earlier && !r.Answer {
		state += " " + kit.Progress{Done: r.Sent, Total: r.Total, Stalled: r.Stalled}.Bar(groupBar, th)
	}
	if age := text.Age(r.Job.Updated, now); r.Job.State == job.Stored && text.Width(state+" · "+age) <= widths[2] {
		more = cmp.Or(more, age)
	}
	if more != "" {
		state += rest.Render(" · " + text.Safe(more))
	}
	size := text.If(r.Total > 0, text.Bytes(cmp.Or(r.Job.Identity.Size, r.Total))) // not that of the request
	return []kit.Cell{
		{Text: "  " + name(r.Job), Style: th.Text}, // below its folder
		{Text: size, Style: th.Muted},
		{Text: state, Style: style},
	}
}

func (m *Model) describe(e kit.Entry[int], f *kit.Facts) (title string) {
	if e.Head() {
		m.preview.Describe(f, func(f *kit.Facts) {
			g := m.rows.folders[e.Key]
			f.Draw(g.note(f.Theme()) + text.If(g.size > 0, f.Theme().Muted.Render(" · "+text.Bytes(g.size))))
		})
		return e.Key
	}
	r := m.rows.row(e.Row)
	m.preview.Describe(f, func(f *kit.Facts) { describe(f, r, m.o.Now(), f.Theme()) })
	return name(r.Job)
}

func describe(f *kit.Facts, r row, now time.Time, th *theme.Theme) {
	j := r.Job
	mark := sign(r)
	f.Say(th.SignStyle(mark), strings.TrimSpace(th.Glyph(mark)+" "+status(r)))
	if j.State == job.Sending || j.Move == job.MoveFailed {
		f.Say(th.Text, note(r, now))
	} else if j.State == job.Waiting && !r.Next.IsZero() {
		f.Say(th.Text, "It is tried again "+text.In(r.Next, now)+".")
	}
	if bad := j.Failure; bad != nil {
		f.Say(th.Text, text.Sentence(j.Reason()))
		f.Say(th.Muted, bad.Help)
	}
	if words := advice(r); words != "" {
		f.Gap()
		f.Say(th.Muted, words)
		f.Gap()
	}
	at := text.Either(j.State.Open(), "queued "+text.When(j.Created, now), text.When(j.Updated, now))
	changed := j.State == job.Stored && len(j.Upload.Extensions.Or(nil)) > 0 // perhaps
	f.Say(th.Muted, strings.Trim(bytes(r)+text.If(changed, " sent")+" · "+at, " ·"))
	edit.DrawTags(f, j.Upload.Tags.Or(nil))
	f.Gap()
	f.Fact("Folder", folder(j))
	f.Fact("Description", j.Upload.Other.Text(rule.FieldDescription))
	f.Fact("Condition", text.If(j.State == job.Refused, j.Upload.Other.Text(rule.FieldChecks)))
	f.Fact("Sent as", text.If(name(j) != j.Upload.FileName, j.Upload.FileName))
	// The title has the name.
	from := j.Upload.Source.String()
	if dir, base := path.Split(from); base == name(j) && dir != "" && j.Upload.Source.URL == "" {
		from = dir
	}
	f.Fact("From", from)
	f.Fact("Attempts", text.If(j.Attempts > 1, text.Count(j.Attempts)))
	f.Fact("Extensions", strings.Join(rule.Mapped(j.Upload.Extensions.Or(nil), edit.LabelExtension), ", "))
	f.Fact("Left behind", strings.Join(j.Lost, ", "))
	origin := j.Upload.Source.Origin.Profile
	f.Fact("Move", map[job.Move]string{
		job.MoveAfter: "deletes the file from " + origin + " when it is stored", job.MoveDone: "deleted from " + origin,
		job.MoveFailed: "not deleted from " + origin,
	}[j.Move])
	if bad := j.Failure; bad != nil {
		f.Fact("Status", text.If(bad.Status != 0, fmt.Sprint(bad.Status)))
		f.Fact("Request id", bad.RequestID)
	}
	if j.File != nil {
		f.Fact("URL", j.File.URL)
	}
}

func stateWord(r row) string {
	switch {
	case r.Job.State == job.Sending && r.Stalled:
		return "stalled"
	case r.Job.State == job.Sending && r.Answer:
		return "sent"
	case r.Job.State == job.Stored && r.Job.File != nil && rule.Replaces(r.Job.File):
		return "new version"
	}
	return strings.Replace(string(r.Job.State), "cancelled", "canceled", 1)
}

var signs = map[job.State]theme.Sign{
	job.Stored: theme.SignGood, job.Refused: theme.SignBad, job.Unsent: theme.SignBad,
	job.Unknown:    theme.SignUnknown,
	job.Processing: theme.SignUnknown, job.Offline: theme.SignWarn, job.Sending: theme.SignBusy,
	job.Waiting: theme.SignWait,
}

func sign(r row) theme.Sign {
	return text.Either(r.Job.State == job.Sending && r.Stalled, theme.SignWarn, signs[r.Job.State])
}

func status(r row) string {
	word := stateWord(r)
	// Only the other program knows the progress of its jobs.
	sending := r.Job.State == job.Sending && !r.Answer && !r.earlier
	if percent := text.Percent(r.Sent, r.Total); sending && percent != "" {
		word += " " + percent
	}
	return word
}

// note returns a short remark about a job. It may contain unsafe text.
func note(r row, now time.Time) string {
	switch j := r.Job; {
	case j.State == job.Sending && r.earlier:
		return "in another mediadesk"
	case j.State == job.Sending && r.Answer:
		return "no answer yet"
	case j.State == job.Sending && r.Stalled:
		return "no byte for 3 s or more"
	case j.State == job.Offline && (r.earlier || r.Next.IsZero()):
		return "no connection to the service"
	case j.State == job.Offline:
		return "no connection · next try " + text.In(r.Next, now) + " · r now"
	case j.State == job.Waiting && r.earlier:
		return "another mediadesk has it"
	case j.State == job.Waiting && !r.Next.IsZero():
		words := "retrying " + text.In(r.Next, now)
		if j.Failure != nil {
			words += ": " + j.Failure.Message
		}
		return words
	case j.State == job.Canceled:
		return text.Date(j.Updated)
	case j.State == job.Processing:
		return "waiting for the service · L checks"
	case j.State == job.Stored && j.Failure != nil:
		return j.Failure.Message
	case j.State == job.Stored && j.Move == job.MoveFailed:
		return "not deleted from " + j.Upload.Source.Origin.Profile + ": " + j.MoveError
	case j.Failure == nil, j.State == job.Sending, j.State == job.Waiting:
		return ""
	default:
		return j.Reason() // the row already shows the file name, the pane the status
	}
}

func bytes(r row) string {
	switch {
	case r.Total <= 0:
		return ""
	case r.Job.State == job.Sending && !r.Answer && !r.earlier:
		return text.Bytes(r.Sent) + " of " + text.Bytes(r.Total)
	}
	return text.Bytes(cmp.Or(r.Job.Identity.Size, r.Total))
}

var advices = map[job.State]string{
	job.Refused:    "Nothing was stored.",
	job.Unsent:     "Nothing can have arrived. r sends it again.",
	job.Unknown:    "It may have arrived. L checks whether it did. If you send it again (r), it may be stored twice.",
	job.Offline:    "It goes on when the service can be reached. r tries now.",
	job.Processing: "The service accepted it and stores it later. L searches for it now.", // the failure says the rest
	job.Canceled:   "You canceled it, and nothing was stored. r sends it.",
}

func advice(r row) string {
	switch j := r.Job; {
	case j.State == job.Unknown && j.RepeatsSafely():
		return "It may have arrived. r sends it again; it cannot be stored twice, because its name is unique."
	case j.State == job.Sending && r.Stalled:
		return "No data is moving. After 60 s without a byte it is sent again; d cancels it."
	case j.State == job.Waiting && r.earlier:
		return "Another mediadesk that is running sends it. If that one ends first, the next start continues it."
	}
	return advices[r.Job.State]
}

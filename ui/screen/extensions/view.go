package extensions

import (
	"cmp"
	"image"
	"strings"

	"charm.land/lipgloss/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// View draws the screen.
func (m *Model) View(size image.Point, th *theme.Theme) string { return m.list.View(size, th) }

// Above returns the line with totals.
func (r rows) Above(_ image.Point, th *theme.Theme) []string { return []string{r.drawTotals(th)} }

// drawTotals describes all runs and the filter.
func (m *Model) drawTotals(th *theme.Theme) string {
	r := &m.runs
	unmatched := ""
	if n := len(r.unmatched); n > 0 {
		unmatched = th.Muted.Render(" · ") + th.Warn.Render(text.Plural(n, "unmatched webhook")+" (p)")
	}
	if len(r.lost) > 0 {
		unmatched = th.Muted.Render(" · ") + th.Warn.Render("posts to "+text.Safe(r.lost[0])+" are lost") + unmatched
	}
	if len(r.all) == 0 {
		return th.Muted.Render("No runs") + unmatched
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
	return line + unmatched
}

// Empty explains an empty list.
func (r rows) Empty() string {
	filter, _ := r.list.Filter()
	switch {
	case !r.runs.read:
		return "Reading the runs…"
	case len(r.runs.all) == 0:
		return "No extension was requested yet. Choose background removal or tagging in the upload form (1, pick a file, u): " +
			"each run is then listed here with its status."
	case filter != "":
		return "No matching extension, path or status. Press esc to clear the filter."
	}
	if r.runs.status == silent {
		return "Every pending run has had news within the last 5 minutes. Press esc to see all."
	}
	return "No run is " + statusNames[r.runs.status] + ". Press esc to see all."
}

// Columns returns the columns for a width.
func (r rows) Columns(width int) kit.Columns {
	cols := kit.Columns{
		{Name: "Name", Width: 20, Flex: 4, Middle: true},
		{Name: "Extension", Width: 12, Flex: 1, Spare: 1, Middle: true},
		{Name: "State", Width: 9},
		{Name: "Age", Width: 11, Spare: 3},
		{Name: "How it is known", Width: 20, Flex: 2, Spare: 2},
	}
	switch {
	case len(r.runs.unmatched) > 0 && width >= 76:
		cols[0].Width, cols[0].Flex, cols[1].Width, cols[1].Flex, cols[4].Width, cols[4].Flex = 16, 1, len("upload.post-transform"), 0, 15, 4
	case width >= 92:
		cols[1].Width, cols[1].Flex = 20, 0
	}
	return cols
}

// Cells returns the cells of a run.
func (r rows) Cells(row int, _ []int, th *theme.Theme) []kit.Cell {
	if w := r.webhook(row); w != nil {
		return w.cells(r.o.Now(), th)
	}
	run, now := &r.runs.all[row], r.o.Now()
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
		{Text: text.Safe(r.news(run, now)), Style: rest},
	}
}

// Head returns the name of a group and a summary of its runs.
func (r rows) Head(key string, th *theme.Theme) (name, note string) {
	return key, th.Muted.Render(r.about(key))
}

// about summarizes the runs of a group.
func (r rows) about(key string) string {
	if key == unmatchedGroup {
		return text.Plural(len(r.runs.unmatched), "webhook")
	}
	return r.runs.heads[key].String()
}

// folderOf returns the label for the file of a run.
func folderOf(run *api.Run) string {
	return cmp.Or(run.FilePath, run.FileID)
}

// Brief describes what small screens omit.
func (r rows) Brief(e kit.Entry) string {
	if e.Head() {
		return r.about(e.Key)
	}
	if w := r.webhook(e.Row); w != nil {
		return text.Age(w.At, r.o.Now()) + " · " + w.Reason
	}
	run, now := &r.runs.all[e.Row], r.o.Now()
	return run.Extension + " · " + age(run, now) + " · " + r.news(run, now)
}

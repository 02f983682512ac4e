package extensions

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// result is the picture of a run's file after the run.
type result struct {
	of      string // run and time of its last news; empty if none requested
	newest  page.Questions
	cancel  context.CancelFunc
	picture *picture.Picture // may be nil
	view    *picture.CropView
}

// resultSide is the longest side of the picture in the pane, resultRows its maximum height in
// lines. Beside the facts it has besideRows: the pane at 80x24.
const (
	resultSide = 512
	resultRows = 12
	besideRows = 10
)

// resultOf identifies the picture of a run, which changes when the run ends.
func resultOf(run *api.Run) string { return fmt.Sprint(run.ID, run.Status, run.At.UnixNano()) }

// readResult loads the picture of the current run, once its record is known.
func (m *Model) readResult() tea.Cmd {
	run, ok := m.current()
	if !ok || m.history.id != run.ID || m.history.file == nil || m.result.of == resultOf(run) {
		return nil
	}
	if m.result.cancel != nil {
		m.result.cancel()
	}
	ctx, cancel := context.WithTimeout(m.o.Context, comparePatience)
	m.result.of, m.result.cancel = resultOf(run), cancel
	gone := m.dropResult()
	s, file := m.o.Session, *m.history.file
	return tea.Batch(gone, m.result.newest.Ask(func() tea.Msg {
		defer cancel()
		if !file.IsImage() {
			return nil
		}
		path, err := s.Picture(ctx, file)
		if err != nil {
			return nil // the picture is optional
		}
		p, err := picture.DecodeFile(ctx, path, media.Limits{Side: resultSide})
		if err != nil {
			return nil
		}
		return page.Do(func() { m.result.picture = p })
	}))
}

// dropResult hides the picture and deletes it from the terminal.
func (m *Model) dropResult() tea.Cmd {
	gone := m.result.view.Delete()
	m.result.picture, m.result.view = nil, &picture.CropView{}
	return gone
}

// drawResult draws the picture of a run at most width columns wide and rows lines high. It returns
// nil if there is none yet.
func (m *Model) drawResult(run *api.Run, width, rows int, th *theme.Theme) []string {
	p := m.result.picture
	if p == nil || m.result.of != resultOf(run) || p.Size().X < 1 {
		return nil
	}
	rows = max(1, min(rows, width*p.Size().Y/(2*p.Size().X)))
	return m.result.view.Draw(p, image.Rectangle{Max: p.Size()}, width, rows, m.drawOptions(th))
}

// openPosts shows the history with raw posts, unless the user has moved on.
func (m *Model) openPosts(run *api.Run, events []api.RunEvent) tea.Cmd {
	if m.Capturing() || m.Overlays().Top() != nil {
		return nil
	}
	return m.Open(kit.NewReader(run.Extension+" of "+folderOf(run), rawHistory(run, events)))
}

// rawHistory formats events with full times and raw posts.
func rawHistory(run *api.Run, events []api.RunEvent) string {
	if len(events) == 0 {
		return "No history."
	}
	var b strings.Builder
	ended := false
	for i := range events {
		e := &events[i]
		fmt.Fprintf(&b, "%s  %s  %s\n", e.At.Format(time.RFC3339Nano), e.From, e.Status)
		if words := verdict(run, e, ended); words != "" {
			b.WriteString(words + "\n")
		}
		if e.Times > 1 {
			fmt.Fprintf(&b, "received %d times, counted once\n", e.Times)
		}
		if e.From == api.FromWebhook && len(e.Raw) > 0 {
			b.WriteString(pretty(e.Raw) + "\n")
		}
		b.WriteString("\n")
		ended = ended || e.Applied && e.Status.Final()
	}
	return b.String()
}

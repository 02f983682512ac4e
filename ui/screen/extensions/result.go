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
	"mediadesk/ui/edit"
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

// resultPatience limits the time for loading the picture.
const resultPatience = time.Minute

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
	ctx, cancel := context.WithTimeout(m.o.Context, resultPatience)
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

// startCompare shows the picture before the run beside the one after it.
func (m *Model) startCompare() tea.Cmd {
	run, _ := m.current()
	before, record, s := *run, m.record(run), m.o.Session
	name := run.Extension + " of " + folderOf(run)
	v := edit.NewViewer(edit.ViewerOptions{
		Context: m.o.Context, Draw: m.o.Draw, Images: m.o.Images, Len: 2, At: 1, Compare: true, Now: m.o.Now,
		Subject: func(i int) edit.Subject {
			if i == 0 {
				return edit.Subject{Name: name, Path: func(ctx context.Context) (string, error) { return s.Before(ctx, before) }}
			}
			return edit.Subject{Name: name, Path: func(ctx context.Context) (string, error) { return s.Picture(ctx, record()) }}
		},
	})
	return tea.Batch(m.Open(v), v.Read())
}

// drawOptions returns the drawing options for a theme.
func (m *Model) drawOptions(th *theme.Theme) picture.Options {
	o := m.o.Draw
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	if o.Color == picture.NoColor {
		o.Method = picture.MethodBlocks // without colors the ends of a picture are invisible
	}
	o.Light = !th.Dark
	return o
}

func (m *Model) noCompare() string {
	run, ok := m.current()
	switch {
	case !ok:
		return m.list.NoRow()
	case run.Extension != api.RemoveBackground:
		return "only a background removal changes the picture"
	case run.Status != api.StatusSuccess:
		return "the background is not removed yet"
	}
	return ""
}

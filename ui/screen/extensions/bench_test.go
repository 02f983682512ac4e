package extensions

import (
	"fmt"
	"image"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
)

// frame is the time between two frames at 60 per second.
const frame = time.Second / 60

// board opens the screen on a journal with n pending runs.
func board(b *testing.B, n int) (m *Model, draw func(tea.Msg)) {
	b.Helper()
	files, err := journal.Open(b.Context(), filepath.Join(b.TempDir(), "journal.db"))
	must(b, err)
	b.Cleanup(func() { files.Close() })
	now := time.Now()
	runs := make([]api.Run, n)
	for i := range runs {
		id := fmt.Sprintf("id%04d", i)
		runs[i] = api.Run{
			Profile: "home", FileID: id, FilePath: fmt.Sprintf("/summer/日本/picture %d.jpg", i), Extension: []string{api.RemoveBackground, api.GoogleTagging}[i%2],
			Status: api.StatusPending, From: api.FromAnswer, Started: now.Add(-time.Duration(i) * time.Second), At: now, Webhook: i%3 == 0,
			Answer: &api.File{FileID: id},
		}
	}
	_, err = files.AddRuns(b.Context(), runs)
	must(b, err)
	m = New(Options{Watch: watch.New(watch.Options{Journal: files, Profile: "home"}), Session: &session.Session{Journal: files}})
	m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	th, size := theme.New(true, true), image.Pt(200, 58)
	draw = func(msg tea.Msg) {
		m.Update(msg)
		m.View(size, th)
	}
	m.Update(m.read()())
	draw(page.Shown{})
	return m, draw
}

// BenchmarkBoard measures a key from press to drawing with 500 pending runs. One frame is 16.7 ms. The
// variant with 10 runs is the baseline.
func BenchmarkBoard(b *testing.B) {
	for _, n := range []int{10, 500} {
		for name, change := range map[string]func(m *Model, draw func(tea.Msg), i int){
			"scroll": func(_ *Model, draw func(tea.Msg), i int) {
				draw(kit.KeyMsg([]string{"pgdown", "down", "up", "pgup"}[i%4]))
			},
			"filter": func(m *Model, draw func(tea.Msg), i int) {
				m.list.SetFilter([]string{"7", ""}[i%2])
				draw(page.Acted{})
			},
			"group": func(m *Model, draw func(tea.Msg), i int) {
				m.runs.grouping = grouping(i) % groupings
				m.list.Arrange()
				draw(page.Tick{})
				draw(kit.KeyMsg("down"))
			},
			"read": func(m *Model, draw func(tea.Msg), _ int) {
				m.reading = false
				draw(m.read()())
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				m, draw := board(b, n)
				i := 0
				for b.Loop() {
					change(m, draw, i)
					i++
				}
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(frame), "frames/op")
			})
		}
	}
}

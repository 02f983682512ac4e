package upload

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// crowd returns a form with that many marked files, options of every kind, exact names and known places.
func crowd(tb testing.TB, files int) *form {
	tb.Helper()
	var sources []api.Source
	for i := range files {
		sources = append(sources, api.Source{Path: fmt.Sprintf("/photos/holiday %d/день_%04d (写真).jpg", i%7, i)})
	}
	there := &api.File{FileID: "1", Tags: api.Set([]string{"a", "b"}), AITags: api.Null[[]api.AITag]()}
	m := New(Options{
		Context: tb.Context(), Sources: sources, Profile: hostedProfile(),
		Session: &stub{
			known:     func(context.Context, string) (api.Place, error) { return api.Place{Known: true, File: there}, nil },
			saveDraft: func(context.Context, []byte) error { return nil },
		},
	})
	for i, s := range m.sources {
		s.known = known{looked: true, identity: api.Identity{Size: int64(i) * 1000}, facts: media.Facts{Kind: media.KindPicture, Stored: image.Pt(800, 600)}}
		m.set(s, fieldNaming, string(api.NameExact))
		m.set(s, fieldTags, strings.Repeat("tag one,", 20)+fmt.Sprint(i%3))
		m.set(s, fieldRemove, on)
		m.set(s, fieldMetadata, "brand = Acme\nyear = 2026")
		m.set(s, fieldRegion, "1,2,3,4")
		path := m.verdict(s).path
		m.places[path] = place{place: api.Place{Known: true, File: there}, looked: true, number: 1}
	}
	m.load()
	m.setFocus(focus{stop: stopItem, field: fieldName})
	return drive(tb, m)
}

// BenchmarkKey handles a key and draws the form with 1 and 300 marked files. At 60 frames per
// second, the budget is 16.7 ms.
func BenchmarkKey(b *testing.B) {
	th := theme.New(true, true)
	for _, files := range []int{1, 300} {
		m := crowd(b, files)
		for _, at := range []struct {
			name  string
			focus focus
			keys  []string
		}{
			{"description", focus{stop: stopItem, field: fieldDescription}, []string{"x", "backspace"}},
			{"tags", focus{stop: stopItem, field: fieldTags}, []string{"x", "backspace"}},
			{"folder", focus{stop: stopItem, field: fieldFolder}, []string{"x", "backspace"}},
			{"metadata", focus{stop: stopItem, field: fieldMetadata}, []string{"x", "backspace"}},
			{"switch", focus{stop: stopItem, field: fieldOverTags}, []string{"right", "left"}},
			{"mark", focus{stop: stopList}, []string{"space", "up", "space", "up"}},
		} {
			b.Run(fmt.Sprintf("%s/%d", at.name, files), func(b *testing.B) {
				if files == 1 && at.focus.stop == stopList {
					b.Skip("one file has no list")
				}
				m.leave()
				m.setFocus(at.focus)
				size := image.Pt(120, 34)
				m.d.Resize(size)
				m.View(size, th)
				b.ResetTimer()
				var worst time.Duration
				for n := range b.N {
					began := time.Now()
					m.d.Host.Press(kit.KeyMsg(at.keys[n%len(at.keys)]))
					m.View(size, th)
					worst = max(worst, time.Since(began))
				}
				b.ReportMetric(float64(worst)/float64(time.Millisecond), "worst-ms")
			})
		}
	}
}

package upload

import (
	"context"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
)

// What is stored already is a check, and the others can be sent without it.
func TestAlreadyStored(t *testing.T) {
	job := &api.Job{File: &api.File{FilePath: "/old/a_x.jpg"}, Updated: time.Now()}
	for _, c := range []struct {
		jobs    []*api.Job
		without int
		checks  int
	}{
		{[]*api.Job{nil, nil}, 0, 0},
		{[]*api.Job{job, nil}, 1, 1},
		{[]*api.Job{job, job}, 2, 2},
	} {
		m := started(t, Options{
			Sources: files(t, "a.jpg", "x", "b.jpg", "y"),
			Session: &stub{
				send:    func(context.Context, []api.Job) ([]api.Job, error) { return nil, nil },
				already: func(_ context.Context, u []api.Upload) ([]*api.Job, error) { return c.jobs, nil },
			},
		})
		cmd := m.findAlready()
		if m.noFind() == "" {
			t.Error("it can be asked twice at a time")
		}
		run(t, m, cmd)
		checks := 0
		for _, s := range m.sources {
			s.known.looked = true
			s.checked = nil
			for _, l := range m.verdict(s).checks {
				if l.level == warn && l.text == describeStored(job) {
					checks++
				}
			}
		}
		if checks != c.checks {
			t.Errorf("%d checks, want %d", checks, c.checks)
		}
	}
}

// A manifest has the files with their options, and is read as it was meant.
func TestWriteManifest(t *testing.T) {
	var got []session.ManifestEntry
	m := started(t, Options{
		Sources: []api.Source{{Path: "/a.jpg"}, {URL: "https://example.com/b.jpg"}},
		Session: &stub{
			send:     func(context.Context, []api.Job) ([]api.Job, error) { return nil, nil },
			manifest: func(e []session.ManifestEntry, _ time.Time) (string, error) { got = e; return "x.json", nil },
		},
	})
	run(t, m, m.writeManifest())
	if len(got) != 2 || got[0].Source != "/a.jpg" || got[1].Source != "https://example.com/b.jpg" || got[0].Options.Text(api.FieldByKey("unique")) != "here" {
		t.Errorf("%+v", got)
	}
}

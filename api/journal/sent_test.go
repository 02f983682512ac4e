package journal

import (
	"path/filepath"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
)

func TestJobOfFile(t *testing.T) {
	j, err := Open(t.Context(), filepath.Join(t.TempDir(), "j.db"))
	must(t, err)
	defer j.Close()
	jobs, err := j.AddJobs(t.Context(), []job.Job{
		{Profile: "p", Upload: api.Upload{FileName: "a"}}, {Profile: "p", Upload: api.Upload{FileName: "b"}}, {Profile: "p", Upload: api.Upload{FileName: "c"}},
	})
	must(t, err)
	for i := range 2 {
		jobs[i].State, jobs[i].File = job.Stored, &api.File{FileID: "f"}
		must(t, j.UpdateJob(t.Context(), jobs[i]))
	}
	upload, ok, err := j.JobOfFile(t.Context(), "p", "f")
	if err != nil || !ok || upload.Upload.FileName != "b" {
		t.Errorf("got %+v %v %v, want the newest", upload, ok, err)
	}
	for _, x := range [][2]string{{"p", "g"}, {"q", "f"}} {
		if _, ok, err := j.JobOfFile(t.Context(), x[0], x[1]); ok || err != nil {
			t.Errorf("%v: %v %v", x, ok, err)
		}
	}
}

package journal

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// asked records a details update with an address, and the run that it began.
func asked(t *testing.T, j *Journal, n int, at time.Time, answered bool) (job.Run, [32]byte) {
	t.Helper()
	hash := sha256.Sum256([]byte(fmt.Sprint("token", n)))
	must(t, j.AddHook(t.Context(), job.Hook{
		Hash: hash, Profile: "home", FileID: "f", Made: at, Expires: at.Add(25 * time.Hour),
	}))
	if !answered {
		return job.Run{}, hash
	}
	return answer(t, j, hash, at), hash
}

func answer(t *testing.T, j *Journal, hash [32]byte, at time.Time) job.Run {
	t.Helper()
	extensions := []api.Extension{{Name: "google-auto-tagging", MaxTags: api.Set(7)}}
	runs := job.RunsRequested("home", "f", extensions, record(t, `{"fileId":"f","filePath":"/a.jpg","extensionStatus":{"google-auto-tagging":"pending"}}`), at.Add(time.Second))
	runs[0].Hook, runs[0].Webhook = hash, true
	must(t, j.AddRuns(t.Context(), runs))
	kept, err := list(t.Context(), j, scanRun, "SELECT "+runColumns+" FROM runs WHERE hook = ?", hash[:])
	if err != nil || len(kept) != 1 {
		t.Fatalf("%+v, %v", kept, err)
	}
	return kept[0]
}

// TestTwoUpdatesAskForTheSame: two updates with the same answer are two runs. Each post ends the
// run of its own address, in any order.
func TestTwoUpdatesAskForTheSame(t *testing.T) {
	j := openTest(t, filepath.Join(t.TempDir(), "journal.db"))
	first, firstHook := asked(t, j, 1, noon, true)
	second, secondHook := asked(t, j, 2, noon.Add(time.Minute), true)
	mediatest.Equal(t, first.ID == second.ID, false, "the two updates are one run")
	if first.Requested == nil || first.Requested.MaxTags.Or(0) != 7 {
		t.Errorf("asked for %+v", first.Requested)
	}
	post(t, j, secondHook, noon.Add(2*time.Minute), `{"service":"google-auto-tagging","status":"FAILURE"}`)
	post(t, j, firstHook, noon.Add(3*time.Minute), `{"service":"google-auto-tagging","status":"SUCCESS"}`)
	for id, want := range map[int64]api.Status{first.ID: api.StatusSuccess, second.ID: api.StatusFailed} {
		if run, err := list(t.Context(), j, value[api.Status], "SELECT status FROM runs WHERE id = ?", id); err != nil ||
			len(run) != 1 || run[0] != want {
			t.Errorf("run %d: %+v, %v", id, run, err)
		}
	}
	mediatest.Equal(t, answer(t, j, firstHook, noon).ID, first.ID, "the same answer counts twice")
}

func TestAPostBeforeTheAnswerToAnUpdate(t *testing.T) {
	j := openTest(t, filepath.Join(t.TempDir(), "journal.db"))
	_, hash := asked(t, j, 1, noon, false)
	post(t, j, hash, noon, `{"service":"google-auto-tagging","status":"SUCCESS"}`)
	run := answer(t, j, hash, noon)
	if run.Status != api.StatusSuccess || run.From != job.FromWebhook {
		t.Errorf("run %+v", run)
	}
}

// TestAnEndThatIsDenied: a post that contradicts a known end changes nothing.
func TestAnEndThatIsDenied(t *testing.T) {
	j := openTest(t, filepath.Join(t.TempDir(), "journal.db"))
	run, hash := asked(t, j, 1, noon, true)
	for _, status := range []string{"pending", "SUCCESS", "FAILURE"} {
		post(t, j, hash, noon.Add(time.Minute), `{"service":"google-auto-tagging","status":"`+status+`"}`)
	}
	runs, err := j.Runs(t.Context(), job.RunFilter{})
	if err != nil || len(runs) != 1 || runs[0].ID != run.ID || runs[0].Status != api.StatusSuccess {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestARunKnowsWhatItsUploadAskedFor(t *testing.T) {
	j := openTest(t, filepath.Join(t.TempDir(), "journal.db"))
	jobs, err := j.AddJobs(t.Context(), []job.Job{{Profile: "home", State: job.Sending, Upload: api.Upload{
		FileName: "a.jpg", Extensions: api.Set([]api.Extension{{Name: "Remove-BG", Options: nil}, {Name: "aws-auto-tagging", MaxTags: api.Set(3)}}),
	}}})
	must(t, err)
	store(t, j, jobs[0], "f", "remove-bg", "aws-auto-tagging", "not-asked")
	runs, err := j.Runs(t.Context(), job.RunFilter{FileID: "f"})
	if err != nil || len(runs) != 3 {
		t.Fatalf("%+v, %v", runs, err)
	}
	for _, run := range runs {
		if run.JobID != jobs[0].ID || (run.Requested != nil) != (run.Extension != "not-asked") {
			t.Errorf("run %+v", run)
		}
	}
	if upload, ok, err := j.Job(t.Context(), jobs[0].ID); !ok || err != nil ||
		upload.Upload.FileName != "a.jpg" {
		t.Errorf("job %+v, %v", upload, err)
	}
	if _, ok, err := j.Job(t.Context(), 999); ok || err != nil {
		t.Errorf("a job that is not there: %v, %v", ok, err)
	}
}

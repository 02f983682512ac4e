package journal

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// hooked adds a job with a webhook address, and returns it with the hash of the address.
func hooked(t *testing.T, j *Journal, name string) (job.Job, [32]byte) {
	t.Helper()
	upload := newJob(name)
	upload.JobWebhook = true
	upload = add(t, j, upload)[0]
	hash := sha256.Sum256([]byte(name))
	must(t, j.AddHook(t.Context(), job.Hook{
		Hash: hash, Profile: "home", JobID: upload.ID, Made: noon, Expires: noon.Add(25 * time.Hour),
	}))
	return upload, hash
}

// store marks the job as stored with file id id and pending extensions.
func store(t *testing.T, j *Journal, upload job.Job, id string, extensions ...string) {
	t.Helper()
	text := fmt.Sprintf(`{"fileId":%q,"filePath":"/%s","extensionStatus":{`, id, upload.Upload.FileName)
	for i, e := range extensions {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf("%q:%q", e, "pending")
	}
	upload.State, upload.File = job.Stored, record(t, text+"}}")
	must(t, j.UpdateJob(t.Context(), upload))
}

func post(t *testing.T, j *Journal, hash [32]byte, at time.Time, body string) job.HookResult {
	t.Helper()
	p, err := job.ParseHookPost([]byte(body))
	must(t, err)
	result, err := j.HookPost(t.Context(), hash, p, at)
	must(t, err)
	return result
}

func oneRunOf(t *testing.T, j *Journal, file, extension string) job.Run {
	t.Helper()
	runs, err := j.Runs(t.Context(), job.RunFilter{FileID: file})
	must(t, err)
	var found []job.Run
	for _, run := range runs {
		if run.Extension == extension {
			found = append(found, run)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d runs of %s on %s, want 1", len(found), extension, file)
	}
	return found[0]
}

func TestAPostEndsARunOnce(t *testing.T) {
	j := openTest(t, newPath(t))
	upload, hash := hooked(t, j, "a.jpg")
	store(t, j, upload, "f1", "remove-bg", "google-auto-tagging")

	success := `{"service":"REMOVE-BG","status":"SUCCESS","fileObject":{"fileId":"f1"}}`
	if got := post(t, j, hash, noon, success); !got.Known || got.Repeat || !got.Changed ||
		got.FileID != "f1" {
		t.Errorf("the first post: %+v", got)
	}
	for range 3 {
		if got := post(t, j, hash, noon, success); !got.Known || !got.Repeat || got.Changed {
			t.Errorf("the same again: %+v", got)
		}
	}
	if got := post(t, j, hash, noon.Add(time.Second), `{"service":"remove-bg","status":"FAILURE","fileId":"f1","error":{"message":"late"}}`); !got.Known || got.Changed {
		t.Errorf("a second end: %+v", got)
	}
	run := oneRunOf(t, j, "f1", "remove-bg")
	if run.Status != api.StatusSuccess || run.From != job.FromWebhook || !run.At.Equal(noon) ||
		run.Error != "" || !run.Webhook {
		t.Errorf("run %+v", run)
	}
	events, err := j.History(t.Context(), run.ID)
	if err != nil || len(events) != 3 {
		t.Fatalf("history %+v, %v", events, err)
	}
	var posts []job.RunEvent
	for _, e := range events {
		if e.From == job.FromWebhook {
			posts = append(posts, e)
		}
	}
	if len(posts) != 2 || posts[0].Times != 4 || !posts[0].Applied || string(posts[0].Raw) != success ||
		posts[1].Applied || posts[1].Status != api.StatusFailed {
		t.Errorf("posts %+v", posts)
	}
	if got := post(t, j, hash, noon, `{"service":"google-auto-tagging","status":"FAILURE","fileId":"f1","error":{"reason":"no luck"}}`); !got.Changed {
		t.Errorf("the other extension: %+v", got)
	}
	if run := oneRunOf(t, j, "f1", "google-auto-tagging"); run.Status != api.StatusFailed ||
		run.Error != "no luck" {
		t.Errorf("run %+v", run)
	}
	if pending, _ := j.Runs(t.Context(), job.RunFilter{Pending: true}); len(pending) != 0 {
		t.Errorf("pending are %+v", pending)
	}
}

func TestPostsThatChangeNothing(t *testing.T) {
	j := openTest(t, newPath(t))
	upload, hash := hooked(t, j, "a.jpg")
	other, _ := hooked(t, j, "b.jpg")
	store(t, j, upload, "f1", "remove-bg")
	store(t, j, other, "f2", "remove-bg")

	if got := post(t, j, sha256.Sum256([]byte("nobody")), noon, `{"service":"remove-bg","status":"SUCCESS"}`); got.Known {
		t.Error("an unknown address is known")
	}
	if got := post(t, j, hash, noon.Add(25*time.Hour), `{"service":"remove-bg","status":"SUCCESS"}`); got.Known {
		t.Error("an expired address is known")
	}
	for _, body := range []string{
		`{"service":"remove-bg","status":"SUCCESS","fileId":"f2"}`, // not for this address
		`{"service":"remove-bg","status":"PENDING","fileId":"f1"}`,
		`{"service":"remove-bg","status":"whatever","fileId":"f1"}`,
		`{"service":"remove-bg"}`,
		`{"status":"SUCCESS"}`,
		`{}`,
		`{"service":7,"status":[]}`,
	} {
		if got := post(t, j, hash, noon, body); !got.Known || got.Changed {
			t.Errorf("%s: %+v", body, got)
		}
	}
	for _, id := range []string{"f1", "f2"} {
		if run := oneRunOf(t, j, id, "remove-bg"); run.Status != api.StatusPending ||
			run.From != job.FromAnswer {
			t.Errorf("run of %s: %+v", id, run)
		}
	}
	events, err := j.History(t.Context(), oneRunOf(t, j, "f1", "remove-bg").ID)
	if err != nil || len(events) != 5 {
		t.Errorf("not all posts about remove-bg are shown: %d, %v, want 5", len(events), err)
	}
	// An address cannot be used to fill the disk.
	known := 0
	for n := range 100 {
		if post(t, j, hash, noon, fmt.Sprintf(`{"n":%d}`, n)).Known {
			known++
		}
	}
	mediatest.Equal(t, known, maxPosts-7, "more posts were kept")
}

// TestAPostBeforeTheAnswer: the post is stored, and applied when the answer comes.
func TestAPostBeforeTheAnswer(t *testing.T) {
	j := openTest(t, newPath(t))
	upload, hash := hooked(t, j, "a.jpg")
	if got := post(t, j, hash, noon, `{"service":"remove-bg","status":"SUCCESS","fileObject":{"fileId":"f1"}}`); !got.Known || got.Changed {
		t.Errorf("%+v", got)
	}
	if got := post(t, j, hash, noon, `{"service":"aws-auto-tagging","status":"SUCCESS","fileObject":{"fileId":"elsewhere"}}`); !got.Known || got.Changed {
		t.Errorf("%+v", got)
	}
	store(t, j, upload, "f1", "remove-bg", "aws-auto-tagging")
	if run := oneRunOf(t, j, "f1", "remove-bg"); run.Status != api.StatusSuccess ||
		run.From != job.FromWebhook {
		t.Errorf("run %+v", run)
	}
	mediatest.Equal(t, oneRunOf(t, j, "f1", "aws-auto-tagging").Status, api.StatusPending, "the status of the other run")
	if got := post(t, j, hash, noon, `{"service":"remove-bg","status":"SUCCESS","fileObject":{"fileId":"f1"}}`); !got.Repeat {
		t.Errorf("%+v", got)
	}
}

// TestAnExtensionThatTheAnswerDidNotName: such an extension gets a run, because its address proves it.
func TestAnExtensionThatTheAnswerDidNotName(t *testing.T) {
	j := openTest(t, newPath(t))
	upload, hash := hooked(t, j, "a.jpg")
	store(t, j, upload, "f1")
	if got := post(t, j, hash, noon, `{"service":"ai-tasks","status":"FAILURE","error":"x"}`); !got.Changed {
		t.Errorf("%+v", got)
	}
	if run := oneRunOf(t, j, "f1", "ai-tasks"); run.Status != api.StatusFailed || run.Error != "x" ||
		run.FilePath != "/a.jpg" {
		t.Errorf("run %+v", run)
	}
}

// TestAddressOfADetailsUpdate: the address belongs to runs that begin after it was made.
func TestAddressOfADetailsUpdate(t *testing.T) {
	j := openTest(t, newPath(t))
	old := job.RunsOf("home", record(t, `{"fileId":"f1","filePath":"/a.jpg","extensionStatus":{"remove-bg":"pending"}}`), false, noon)
	must(t, j.AddRuns(t.Context(), old))
	hash := sha256.Sum256([]byte("update"))
	hook := job.Hook{
		Hash: hash, Profile: "home", FileID: "f1", Made: noon.Add(time.Minute), Expires: noon.Add(25 * time.Hour),
	}
	must(t, j.AddHook(t.Context(), hook))
	if got := post(t, j, hash, noon.Add(2*time.Minute), `{"service":"remove-bg","status":"SUCCESS","fileObject":{"fileId":"f1"}}`); !got.Known || got.Changed {
		t.Errorf("%+v", got)
	}
	fresh := job.RunsOf("home", record(t, `{"fileId":"f1","filePath":"/a.jpg","updatedAt":"x","extensionStatus":{"remove-bg":"pending"}}`), true, noon.Add(3*time.Minute))
	must(t, j.AddRuns(t.Context(), fresh))
	runs, err := j.Runs(t.Context(), job.RunFilter{FileID: "f1", Limit: 1})
	if err != nil || len(runs) != 1 || runs[0].Status != api.StatusSuccess || !runs[0].Started.Equal(fresh[0].Started) {
		t.Errorf("%+v, %v", runs, err)
	}
	if first, _ := j.Runs(t.Context(), job.RunFilter{FileID: "f1", Pending: true}); len(first) != 1 ||
		first[0].Status != api.StatusPending {
		t.Errorf("the run before: %+v", first)
	}
}

func TestARunNeverGoesBack(t *testing.T) {
	j := openTest(t, newPath(t))
	must(t, j.AddRuns(t.Context(), []job.Run{{
		Profile: "home", FileID: "f", Extension: "x", Status: api.StatusPending, From: job.FromAnswer,
		Started: noon, At: noon,
	}}))
	run := oneRunOf(t, j, "f", "x")
	for _, tt := range []struct {
		status  api.Status
		changed bool
		want    api.Status
	}{
		{"queued", false, api.StatusPending},
		{api.StatusPending, false, api.StatusPending},
		{api.StatusSuccess, true, api.StatusSuccess},
		{api.StatusSuccess, false, api.StatusSuccess},
		{api.StatusFailed, false, api.StatusSuccess},
		{api.StatusPending, false, api.StatusSuccess},
	} {
		run.Status, run.From, run.At = tt.status, job.FromDetails, noon.Add(time.Minute)
		changed, err := j.ApplyRun(t.Context(), run)
		if err != nil || changed != tt.changed || oneRunOf(t, j, "f", "x").Status != tt.want {
			t.Errorf("%s: changed %v, %v; the run is %s", tt.status, changed, err, oneRunOf(t, j, "f", "x").Status)
		}
	}
	if events, err := j.History(t.Context(), run.ID); err != nil || len(events) != 7 {
		t.Errorf("%d events, %v, want 7", len(events), err)
	}
}

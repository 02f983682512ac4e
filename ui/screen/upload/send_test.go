package upload

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// outbox accepts jobs like the queue.
type outbox struct {
	jobs  []job.Job
	takes int // jobs it accepts before it returns err
	err   error
}

func (o *outbox) send(_ context.Context, jobs []job.Job) ([]job.Job, error) {
	if o.err != nil {
		jobs = jobs[:o.takes]
	}
	for _, j := range jobs {
		j.ID = int64(len(o.jobs) + 1)
		o.jobs = append(o.jobs, j)
	}
	return o.jobs[len(o.jobs)-len(jobs):], o.err
}

// asked returns the question in the messages.
func asked(t *testing.T, msgs []tea.Msg) page.Ask {
	t.Helper()
	for _, msg := range msgs {
		if ask, ok := msg.(page.Ask); ok {
			return ask
		}
	}
	t.Fatalf("got no question: %+v", msgs)
	return page.Ask{}
}

// toasted returns the toast in the messages.
func toasted(t *testing.T, msgs []tea.Msg) page.Toast {
	t.Helper()
	for _, msg := range msgs {
		if toast, ok := msg.(page.Toast); ok {
			return toast
		}
	}
	t.Fatalf("got no toast: %+v", msgs)
	return page.Toast{}
}

func TestSendOne(t *testing.T) {
	var box outbox
	src := files(t, "a b.png", string(pngBytes(t, 10, 10)))
	m := started(t, localOptions(src, &stub{send: box.send}))
	extend(t, m, "remove-bg")
	goTo(t, m, "tags")
	write(t, m, "sea") // without enter
	msgs := press(t, m, "ctrl+s")
	if len(box.jobs) != 1 {
		t.Fatalf("%d jobs; said %+v, want 1", len(box.jobs), msgs)
	}
	j := box.jobs[0]
	id, err := api.Identify(src[0].Path)
	if err != nil || !j.Identity.Same(id) {
		t.Errorf("identity %+v, %v", j.Identity, err)
	}
	if j.Profile != "here" || j.Naming != job.NameExact || !j.JobWebhook || j.Batch == "" ||
		j.Upload.Source != src[0] {
		t.Errorf("job %+v", j)
	}
	u := j.Upload
	if u.UseUniqueFileName.Or(true) || u.OverwriteFile.Or(true) || u.FileName != "a b.png" {
		t.Errorf("named %q, unique by the service %v, overwrites %v", u.FileName, u.UseUniqueFileName, u.OverwriteFile)
	}
	if u.WebhookURL.IsSet() || rule.JoinTags(u.Tags.Or(nil)) != "sea" {
		t.Errorf("webhook %v, tags %v", u.WebhookURL, u.Tags)
	}
	var sent *page.Sent
	shown := false
	for _, msg := range msgs {
		switch msg := msg.(type) {
		case page.Sent:
			sent = &msg
		case page.Show:
			shown = msg.ID == page.Uploads
		}
	}
	if sent == nil || len(sent.Jobs) != 1 || !shown {
		t.Errorf("got the messages %+v", msgs)
	}
	if len(m.Items) != 0 || !strings.Contains(screen(m, 80, 20), "Go to Pick") {
		t.Errorf("the form still holds %v", sources(m))
	}
	// An empty form does nothing, and says why.
	if msgs := press(t, m, "ctrl+s", "x"); len(msgs) != 1 ||
		!strings.Contains(msgs[0].(page.Toast).Text, "form is empty") {
		t.Errorf("an empty form sent %+v", msgs)
	}
	if msgs := press(t, m, "esc"); len(msgs) != 1 || msgs[0] != (page.Back{}) {
		t.Errorf("esc sent %+v", msgs)
	}
}

// TestSendStaysWhereOneIs checks that a user who has left the form is not moved to the uploads.
func TestSendStaysWhereOneIs(t *testing.T) {
	var box outbox
	m := started(t, localOptions(files(t, "a.png", "x"), &stub{send: box.send}))
	m.Update(page.Hidden{})
	for _, msg := range press(t, m, "ctrl+s") {
		if show, ok := msg.(page.Show); ok {
			t.Errorf("showed %v", show.ID)
		}
	}
	mediatest.Equal(t, len(box.jobs), 1, "jobs")
}

func TestSendSeveralAsks(t *testing.T) {
	var box outbox
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{send: box.send}))
	goTo(t, m, "folder")
	write(t, m, "summer")
	ask := asked(t, press(t, m, "ctrl+s"))
	if ask.Title != "Send 2 files?" || len(ask.Choices) != 2 || ask.Choices[0].Do != nil ||
		ask.Choices[1].Label != "Send" {
		t.Errorf("asked %+v", ask)
	}
	if len(box.jobs) != 0 {
		t.Fatal("sent before the answer")
	}
	pick(t, m, ask.Choices[1])
	if len(box.jobs) != 2 || box.jobs[0].Batch == "" || box.jobs[0].Batch != box.jobs[1].Batch {
		t.Errorf("jobs %+v", box.jobs)
	}
	if box.jobs[0].Upload.FileName == box.jobs[1].Upload.FileName {
		t.Error("one name for both")
	}
}

// TestSendAsksBeforeALoss: a user who switched overwriting on is asked only if something is lost.
func TestSendAsksBeforeALoss(t *testing.T) {
	var box outbox
	m := started(t, localOptions(files(t, "a.png", "x"),
		&stub{send: box.send, known: at("/a.png", api.File{FileID: "1", Tags: api.Set([]string{"x", "y"})})}))
	goTo(t, m, "overwriteFile")
	press(t, m, "right")
	ask := asked(t, press(t, m, "ctrl+s"))
	if !strings.Contains(ask.Text, "loses: AI tags, custom metadata, region, 2 tags (x, y).") || ask.Title != "Send 1 file?" {
		t.Errorf("asked %+v", ask)
	}
	pick(t, m, ask.Choices[1])
	if len(box.jobs) != 1 || box.jobs[0].Upload.FileName != "a.png" ||
		!box.jobs[0].Upload.OverwriteFile.Or(false) {
		t.Errorf("jobs %+v", box.jobs)
	}
}

func TestChecksThatStopBlockSending(t *testing.T) {
	var box outbox
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{send: box.send}))
	goTo(t, m, "tags")
	write(t, m, "100%")
	goTo(t, m, "description")
	toast := toasted(t, press(t, m, "ctrl+s"))
	if len(box.jobs) != 0 || toast.Level != page.Bad ||
		!strings.Contains(toast.Text, "Not sent. All files: tags cannot have %") {
		t.Errorf("jobs %v, said %+v", box.jobs, toast)
	}
	mediatest.Equal(t, m.Model.Form.On(), "tags", "the focus is at")
	if m.Actions()[0].Label() == "send" {
		t.Error("sending is offered")
	}
}

// TestSourceThatChanged: a file that changes after the form read it is queued as it was read, so
// that the queue refuses it.
func TestSourceThatChanged(t *testing.T) {
	var box outbox
	src := files(t, "a.png", "x")
	m := started(t, localOptions(src, &stub{send: box.send}))
	must(t, os.WriteFile(src[0].Path, []byte("longer"), 0o600))
	if press(t, m, "ctrl+s"); len(box.jobs) != 1 || box.jobs[0].Identity.Size != 1 {
		t.Errorf("jobs %+v", box.jobs)
	}
}

func TestQueueThatFails(t *testing.T) {
	box := outbox{err: errors.New("the journal cannot be written: disk full"), takes: 1}
	src := files(t, "a.png", "x", "b.png", "y")
	m := started(t, localOptions(src, &stub{send: box.send}))
	ask := asked(t, press(t, m, "ctrl+s"))
	msgs := pick(t, m, ask.Choices[1])
	uitest.Shows(t, toasted(t, msgs).Text, "disk full")
	for _, msg := range msgs {
		if show, ok := msg.(page.Show); ok {
			t.Errorf("opened %v although the queue did not accept all jobs", show)
		}
	}
	// The form does not keep what the queue accepted.
	if got := sources(m); len(got) != 1 || got[0] != src[1] {
		t.Errorf("the form holds %v", got)
	}
}

func TestKeysWhileHandingOver(t *testing.T) {
	var box outbox
	m := started(t, localOptions(files(t, "a.png", "x"), &stub{send: box.send}))
	cmd := held(t, m, "ctrl+s")
	press(t, m, "x", "ctrl+s")
	send(t, m, tea.PasteMsg{Content: "y"})
	uitest.Shows(t, screen(m, 100, 20), "Queuing 1 file")
	if press(t, m, "esc"); len(box.jobs) != 0 {
		t.Error("the keys sent the form twice")
	}
	run(t, m, cmd)
	if len(box.jobs) != 1 || box.jobs[0].Upload.FileName != "a.png" {
		t.Errorf("jobs %+v", box.jobs)
	}
}

func TestURLSource(t *testing.T) {
	var box outbox
	m := started(t,
		localOptions([]api.Source{{URL: "https://example.com/p/c.png?x=1"}}, &stub{send: box.send}))
	press(t, m, "ctrl+s")
	if len(box.jobs) != 1 || box.jobs[0].Identity != (api.Identity{}) ||
		box.jobs[0].Upload.FileName != "c.png" {
		t.Errorf("jobs %+v", box.jobs)
	}
}

package extensions

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/watch"
	"mediadesk/ui/page"
)

type testKey string

func (k testKey) Reveal() string { return string(k) }

// photo is a dark disc on a light background.
func photo(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 160, 120))
	for y := range 120 {
		for x := range 160 {
			c := color.RGBA{0xe8, 0xe6, 0xe0, 0xff}
			if (x-80)*(x-80)+(y-60)*(y-60) < 40*40 {
				c = color.RGBA{0x80, 0x20, 0x30, 0xff}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

// TestRunOfTheLocalLibrary: the local library processes a picture and posts to our receiver, and the
// screen shows the run from pending to its end.
func TestRunOfTheLocalLibrary(t *testing.T) {
	for _, byHook := range []bool{true, false} {
		dir := t.TempDir()
		key := testKey("private_test")
		server, err := local.Serve(t.Context(), "127.0.0.1:0", local.Options{Dir: filepath.Join(dir, "library"), Key: key})
		must(t, err)
		t.Cleanup(func() { must(t, server.Close()) })
		client, err := api.NewClient(api.Options{UploadURL: server.Address, BaseURL: server.Address, Key: key})
		must(t, err)
		t.Cleanup(client.Close)
		d := start(t, func(files *journal.Journal) *watch.Watch {
			o := watch.Options{Journal: files, Profile: "home", Listen: "127.0.0.1:0"}
			if !byHook {
				o.Details = func(ctx context.Context, _, id string) (*api.File, error) { return client.Details(ctx, id) }
			}
			w := watch.New(o)
			must(t, w.Start(t.Context()))
			t.Cleanup(func() { must(t, w.Close(context.WithoutCancel(t.Context()))) })
			return w
		})
		source := filepath.Join(dir, "disc.png")
		must(t, os.WriteFile(source, photo(t), 0o600))
		jobs, err := d.files.AddJobs(t.Context(), []api.Job{{
			Profile: "home", State: api.Sending, OwnWebhook: byHook,
			Upload: api.Upload{Source: api.Source{Path: source}, FileName: "disc.png", Extensions: api.Set([]api.Extension{{Name: api.RemoveBackground}})},
		}})
		must(t, err)
		job := jobs[0]
		upload := job.Upload
		if byHook {
			address, err := d.watch.Address(t.Context(), job.ID, "home")
			must(t, err)
			upload.WebhookURL = api.Set(address)
		}
		file, err := client.Upload(t.Context(), &upload, nil)
		must(t, err)
		job.State, job.File = api.Stored, file
		must(t, d.files.UpdateJob(t.Context(), job))
		must(t, d.watch.Answered(t.Context(), "home", file, byHook))
		d.open()
		if len(d.m.runs.all) != 1 {
			t.Fatalf("%d runs, want 1", len(d.m.runs.all))
		}
		late := time.After(time.Minute)
		for d.m.runs.success == 0 {
			select {
			case <-d.watch.Changes():
				d.Send(page.RunsChanged{})
			case <-late:
				t.Fatalf("the run does not end:\n%s", d.Text())
			}
		}
		d.Sees("0 pending · 1 success", file.FilePath)
		if byHook {
			d.Sees("webhook ")
			d.Press("enter")
			d.Sees(`"fileObject": {`)
			d.Press("esc")
		} else {
			d.Sees("seen in details:")
		}
	}
}

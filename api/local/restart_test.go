package local_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/run"
	"mediadesk/api/local/store"
	"mediadesk/api/media/mediatest"
)

// receiver is a webhook receiver that answers attempts with a status.
func receiver(t *testing.T, answer func(attempt int) int) (address string, posts <-chan map[string]any) {
	t.Helper()
	c := make(chan map[string]any, 100)
	var attempts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.WriteHeader(answer(int(attempts.Add(1))))
		c <- body
	}))
	t.Cleanup(server.Close)
	return server.URL, c
}

func receive(t *testing.T, posts <-chan map[string]any) map[string]any {
	t.Helper()
	select {
	case post := <-posts:
		return post
	case <-time.After(time.Minute):
		t.Fatal("no webhook post came")
		return nil
	}
}

func TestPendingRunGoesOnAfterRestart(t *testing.T) {
	dir := t.TempDir()
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	stuck := serve(t, local.Options{Dir: dir, Fault: local.Fault{{Text: "extensions=pending"}}})
	r := upload(t, stuck.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook,
		"extensions", `[{"name":"remove-bg"},{"name":"aws-auto-tagging"}]`)
	status := r["extensionStatus"].(map[string]any)
	if status["remove-bg"] != "pending" || status["aws-auto-tagging"] != "pending" {
		t.Fatalf("the statuses are %v", status)
	}
	closeServer(t, stuck)

	s := serve(t, local.Options{Dir: dir})
	ended := map[any]bool{}
	for range 2 {
		post := receive(t, posts)
		mediatest.Equal(t, post["status"], "SUCCESS", "posted %v", post)
		ended[post["service"]] = true
	}
	if !ended["remove-bg"] || !ended["aws-auto-tagging"] {
		t.Errorf("the posts were of %v", ended)
	}
	now := details(t, s.Address, r["fileId"])
	if now["hasAlpha"] != true || now["AITags"] == nil {
		t.Errorf("afterwards the record is %v", now)
	}
}

func TestWebhookIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	t.Run("after a restart", func(t *testing.T) {
		dir := t.TempDir()
		hook, posts := receiver(t, func(attempt int) int {
			if attempt == 1 {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		first := serve(t, local.Options{Dir: dir}.WithRetries(time.Second))
		upload(t, first.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
		before := receive(t, posts)
		closeServer(t, first)
		serve(t, local.Options{Dir: dir})
		mediatest.Equal(t, fmt.Sprint(receive(t, posts)), fmt.Sprint(before), "the second post")
	})
	t.Run("until it is taken with 200", func(t *testing.T) {
		answers := []int{http.StatusNoContent, http.StatusFound, http.StatusBadGateway, http.StatusOK}
		hook, posts := receiver(t, func(attempt int) int { return answers[attempt-1] })
		s := serve(t, local.Options{}.WithRetries(time.Millisecond))
		upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
		for range answers {
			receive(t, posts)
		}
	})
	t.Run("eighteen times", func(t *testing.T) {
		var attempts atomic.Int64
		hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			attempts.Add(1)
			w.WriteHeader(http.StatusBadGateway)
		}))
		t.Cleanup(hook.Close)
		s := serve(t, local.Options{}.WithRetries(time.Millisecond))
		upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook.URL, "extensions", `[{"name":"remove-bg"}]`)
		eventually(t, "the end of the post",
			func() bool { return attempts.Load() > 0 && s.Library.Posts(t) == 0 })
		mediatest.Equal(t, attempts.Load(), 18, "attempts")
	})
	t.Run("for a day, at growing intervals", func(t *testing.T) {
		var all, before time.Duration
		for n := 1; n < 18; n++ {
			pause := run.RetryDelay(n)
			if pause < before || pause <= 0 {
				t.Errorf("after %d attempts it waits %s, before that %s", n, pause, before)
			}
			all, before = all+pause, pause
		}
		if all < 22*time.Hour || all > 24*time.Hour {
			t.Errorf("the attempts take %s", all)
		}
	})
}

// TestKill ends a library with SIGKILL between and during uploads. Everything that was
// acknowledged is complete afterwards.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stored := map[string][]byte{} // by id
	for round := range 4 {
		c := startChild(t, dir)
		for n := range 10 {
			data := bytes.Repeat([]byte{byte(round), byte(n)}, 20_000)
			id := upload(t, c.address, data, "fileName", fmt.Sprintf("%d-%d", round, n))["fileId"].(string)
			stored[id] = data
		}
		// Another upload is under way when the library ends.
		contentType, body := form(bytes.Repeat([]byte("z"), 3<<20), "fileName", "under-way", "useUniqueFileName", "false")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.address+uploadV1, body)
		must(t, err)
		req.Header.Set("Content-Type", contentType)
		req.SetBasicAuth(testKey, "")
		done := make(chan struct{})
		go func() {
			defer close(done)
			if res, err := client.Do(req); err == nil {
				res.Body.Close()
			}
		}()
		c.cmd.Process.Kill()
		c.cmd.Wait()
		<-done
	}
	s := serve(t, local.Options{Dir: dir})
	for id, data := range stored {
		record := details(t, s.Address, id)
		res, err := client.Get(record["url"].(string))
		must(t, err)
		var got bytes.Buffer
		got.ReadFrom(res.Body)
		res.Body.Close()
		mediatest.Equal(t, bytes.Equal(got.Bytes(), data), true, "%s is what was stored", id)
	}
	left, err := os.ReadDir(filepath.Join(dir, "contents", "incoming"))
	if err != nil || len(left) != 0 {
		t.Errorf("drafts remain: %v %v", left, err)
	}
}

func TestFindBelievesTheOwnerOnly(t *testing.T) {
	other := serve(t, local.Options{})
	dir := t.TempDir()
	word := fmt.Sprintf(`{"address":%q,"pid":1,"identity":"somebody else","dir":%q}`, other.Address, dir)
	must(t, os.WriteFile(filepath.Join(dir, "owner.json"), []byte(word), 0o600))
	if address, _, ok := local.Find(dir); ok {
		t.Errorf("found the owner %s, want none", address)
	}
}

// TestDeliveredPostIsNotRepeated: a post is sent once, although its delivery is recorded later.
func TestDeliveredPostIsNotRepeated(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	var failed atomic.Int32
	o := local.Options{}.WithRetries(time.Millisecond)
	s := serve(t, o.WithUpdates(func(do func(store.Tx) error) (func(store.Tx) error, func()) {
		return func(tx store.Tx) error {
			before, err := store.All[store.Post](tx, nil)
			if err == nil {
				err = do(tx)
			}
			after, failure := store.All[store.Post](tx, nil)
			if len(after) < len(before) && failed.Add(1) <= 3 {
				failure = syscall.ENOSPC // a full disk cannot record that a post was delivered
			}
			return errors.Join(err, failure)
		}, nil
	}))
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	receive(t, posts)
	eventually(t, "the record of the delivery", func() bool { return s.Library.Posts(t) == 0 })
	mediatest.Equal(t, len(posts), 0, "repeated posts")
}

// TestRunsOfWhatIsGone: a run fails and is reported as failed if its file was deleted, or
// replaced by another version.
func TestRunsOfWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{Dir: dir, Fault: local.Fault{{Text: "extensions=pending"}}})
	send := func(name, more string) map[string]any {
		pairs := []string{"fileName", name, "useUniqueFileName", "false"}
		if more != "" {
			pairs = append(pairs, "webhookUrl", hook, "extensions", more)
		}
		return upload(t, s.Address, apitest.JPEG(60, 40), pairs...)
	}
	both := `[{"name":"remove-bg"},{"name":"aws-auto-tagging"}]`
	deleted, replaced := send("deleted.jpg", both)["fileId"], send("replaced.jpg", both)["fileId"]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete,
		fmt.Sprintf("%s/v1/files/%v", s.Address, deleted), http.NoBody)
	must(t, err)
	req.SetBasicAuth(testKey, "")
	res, err := client.Do(req)
	must(t, err)
	res.Body.Close()
	mediatest.Equal(t, res.StatusCode, http.StatusNoContent, "answered")
	send("replaced.jpg", "")
	closeServer(t, s)
	serve(t, local.Options{Dir: dir})
	for range 4 {
		post := receive(t, posts)
		reason := map[any]string{deleted: "no longer exists", replaced: "another version"}[post["fileId"]]
		if text := fmt.Sprint(post["error"]); post["status"] != "FAILURE" || reason == "" ||
			!strings.Contains(text, reason) {
			t.Errorf("posted %v", post)
		}
	}
}

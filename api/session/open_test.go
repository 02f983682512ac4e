package session

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/config"
)

// homeWith returns the paths and options of a program with settings.
func homeWith(t *testing.T, settings string) Options {
	t.Helper()
	home := t.TempDir()
	paths := config.FindPaths(func(name string) string {
		return map[string]string{"MEDIADESK_HOME": home}[name]
	})
	must(t, os.WriteFile(paths.Config, []byte(settings), 0o600))
	return Options{Paths: paths, Keys: &config.Keys{}, Request: Request{KeyFD: -1}}
}

func closeSession(t *testing.T, s *Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), CloseTimeout)
	defer cancel()
	must(t, s.Close(ctx))
}

// TestOpenWithoutReceiver: an address that this computer does not have is a warning. Uploads work, and
// their extensions are polled.
func TestOpenWithoutReceiver(t *testing.T) {
	const listen = "203.0.113.1:7844"
	s, err := Open(t.Context(), homeWith(t, "[local]\naddr = \"127.0.0.1:0\"\n[webhook]\nlisten = \""+listen+"\"\n"))
	must(t, err)
	defer closeSession(t, s)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Error(), listen) ||
		api.Hint(s.Warnings[0]) == "" || s.Profile.Receiver != "" {
		t.Errorf("warnings %v, receiver %q", s.Warnings, s.Profile.Receiver)
	}
	j := job.Job{Profile: s.Profile.Name, Naming: job.NameHere, JobWebhook: true, Upload: mug(t)}
	j.Upload.FileName = "mug.jpg"
	job.ApplyNaming(&j.Upload, j.Naming)
	added, err := s.Send(t.Context(), []job.Job{j})
	must(t, err)
	if done, err := s.Queue.Wait(t.Context(), []int64{added[0].ID}); err != nil ||
		done[0].State != job.Stored {
		t.Errorf("%v, %v", done, err)
	}
}

// TestOpenLeavesNothing: after an error of Open nothing runs.
func TestOpenLeavesNothing(t *testing.T) {
	own := "profile = \"p\"\n[profiles.p]\nkind = \"own\"\nupload_url = \"http://127.0.0.1:1\"\nbase_url = \"http://127.0.0.1:1\"\n"
	for name, test := range map[string]struct {
		settings string
		journal  string
	}{
		"broken settings": {settings: "profile = \n"},
		"no such profile": {settings: "profile = \"none\"\n"},
		"no key":          {settings: own},
		"no secret":       {settings: own + "key_file = \"KEY\"\nwebhook_secret_file = \"/none\"\n"},
		"a wrong fault":   {settings: "[local]\naddr = \"127.0.0.1:0\"\nfault = \"nonsense\"\n"},
		"a bad extension": {settings: "[profiles.local]\nkind = \"local\"\nextensions = \"{\"\n"},
		"no journal":      {journal: strings.Repeat("words ", 2000)},
	} {
		t.Run(name, func(t *testing.T) {
			running := goleak.IgnoreCurrent()
			o := homeWith(t, test.settings)
			key := filepath.Join(filepath.Dir(o.Paths.Config), "key")
			settings := strings.ReplaceAll(test.settings, "KEY", key)
			must(t, os.WriteFile(key, []byte("private_x"), 0o600))
			must(t, os.WriteFile(o.Paths.Config, []byte(settings), 0o600))
			if test.journal != "" {
				must(t, os.MkdirAll(o.Paths.Data, 0o700))
				must(t, os.WriteFile(o.Paths.Journal(), []byte(test.journal), 0o600))
			}
			s, err := Open(t.Context(), o)
			if err == nil {
				closeSession(t, s)
				t.Fatal("it opened")
			}
			t.Log(err)
			goleak.VerifyNone(t, running)
		})
	}
}

// TestEmptyJournalIsSaidOnce: an empty journal is set aside with a warning, and the next start has none.
func TestEmptyJournalIsSaidOnce(t *testing.T) {
	o := homeWith(t, "[local]\naddr = \"127.0.0.1:0\"\n[webhook]\nlisten = \"127.0.0.1:0\"\n")
	must(t, os.MkdirAll(o.Paths.Data, 0o700))
	must(t, os.WriteFile(o.Paths.Journal(), nil, 0o600))
	for _, want := range []int{1, 0} {
		s, err := Open(t.Context(), o)
		must(t, err)
		mediatest.Equal(t, len(s.Warnings), want, "warnings %v", s.Warnings)
		closeSession(t, s)
	}
	if kept, _ := filepath.Glob(o.Paths.Journal() + ".empty-*"); len(kept) != 1 {
		t.Errorf("%q are set aside, want 1", kept)
	}
}

// TestAddressStaysTheSame: a library whose usual port is taken has the same address at each start.
func TestAddressStaysTheSame(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer other.Close()
	o := homeWith(t, fmt.Sprintf("[local]\naddr = %q\n[webhook]\nlisten = \"127.0.0.1:0\"\n", other.Addr()))
	var hosts []string
	for range 2 {
		s, err := Open(t.Context(), o)
		must(t, err)
		if hosts = append(hosts, s.Profile.Host); s.Busy == "" {
			t.Error("it does not say that the usual address is taken")
		}
		closeSession(t, s)
	}
	mediatest.Equal(t, hosts[0], hosts[1], "the addresses are %q", hosts)
}

// TestCopiesAreRemoved: a start removes the copies of standard input that nothing refers to, and keeps
// those of running programs, unfinished uploads and drafts.
func TestCopiesAreRemoved(t *testing.T) {
	o := homeWith(t, "[local]\naddr = \"127.0.0.1:0\"\n[webhook]\nlisten = \"127.0.0.1:0\"\n")
	spool := o.Paths.Spool()
	left := func(name string) string { // as a killed program leaves it
		t.Helper()
		file := filepath.Join(spool, name, "stdin")
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, []byte("x"), 0o600))
		return file
	}
	unused, drafted, refused, unsent := left("UNUSED"), left("DRAFTED"), left("REFUSED"), left("UNSENT")
	fetched := left("job-999")
	running, _, err := Spool(spool, "stdin", bytes.NewReader([]byte("x")).WriteTo)
	must(t, err)
	s, err := Open(t.Context(), o)
	must(t, err)
	must(t, s.SaveDraft(t.Context(), []byte(drafted)))
	// The first start has removed what nothing refers to; make the rest again.
	for _, name := range []string{"UNUSED", "DRAFTED", "REFUSED", "UNSENT", "job-999"} {
		if _, err := os.Stat(filepath.Join(spool, name)); err == nil {
			t.Errorf("%s was kept", name)
		}
		left(name)
	}
	for path, state := range map[string]job.State{refused: job.Refused, unsent: job.Unsent} {
		j := job.Job{
			Profile: "other", Upload: api.Upload{Source: api.Source{Path: path}, FileName: "a"}, State: state,
		}
		_, err = s.Journal.AddJobs(t.Context(), []job.Job{j})
		must(t, err)
	}
	closeSession(t, s)
	s, err = Open(t.Context(), o)
	must(t, err)
	closeSession(t, s)
	for path, kept := range map[string]bool{
		unused: false, drafted: true, refused: false, unsent: true, fetched: false, running: true,
	} {
		if _, err := os.Stat(path); (err == nil) != kept {
			t.Errorf("%s: %v, kept should be %v", path, err, kept)
		}
	}
}

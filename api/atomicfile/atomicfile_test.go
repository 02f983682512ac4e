package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mediadesk/api/media/mediatest"
)

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// onlyFile fails if a temporary file remains beside path.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	for _, e := range entries {
		mediatest.Equal(t, e.Name(), filepath.Base(path), "remains")
	}
}

func TestWriteFileCreatesAndReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.toml")
	for _, text := range []string{"first", "", "a longer second"} {
		must(t, WriteFile(path, []byte(text), 0o640))
		if got := content(t, path); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
		info, err := os.Stat(path)
		must(t, err)
		if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o640 {
			t.Errorf("mode is %o, want 640", mode)
		}
	}
	onlyFile(t, path)
}

func TestAFailureKeepsTheOldContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.toml")
	must(t, WriteFile(path, []byte("old"), 0o600))
	broken := errors.New("broken")
	err := Write(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of the n")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("error is %v, want that of fill", err)
	}
	if got := content(t, path); got != "old" {
		t.Errorf("got %q, want the old content", got)
	}
	onlyFile(t, path)
}

func TestAMissingFolderIsAnError(t *testing.T) {
	err := WriteFile(filepath.Join(t.TempDir(), "missing", "state.toml"), nil, 0o600)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want fs.ErrNotExist", err)
	}
}

func TestOneOfManyCreates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	var created atomic.Int32
	var wg sync.WaitGroup
	for _, text := range strings.Split("abcdefgh", "") {
		wg.Go(func() {
			err := Create(path, []byte(text), 0o600)
			switch {
			case err == nil:
				created.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
			if got := content(t, path); len(got) != 1 {
				t.Errorf("a reader sees %q", got)
			}
		})
	}
	wg.Wait()
	mediatest.Equal(t, created.Load(), 1, "callers created the file")
	onlyFile(t, path)
}

func TestReadersSeeWholeContents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.toml")
	old, replaced := strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<16)
	must(t, WriteFile(path, []byte(old), 0o600))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 50 {
			for _, text := range []string{replaced, old} {
				if err := WriteFile(path, []byte(text), 0o600); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		if got := content(t, path); got != old && got != replaced {
			t.Fatalf("a reader sees %d bytes of neither content", len(got))
		}
	}
}

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	draft, path := filepath.Join(dir, "draft"), filepath.Join(dir, "a.db")
	for _, text := range []string{"first", "second"} {
		must(t, os.WriteFile(draft, []byte(text), 0o644))
		must(t, Publish(draft, path, 0o600))
		info, err := os.Stat(path)
		if err != nil || content(t, path) != text || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("the file has %q, %v, %v", content(t, path), info, err)
		}
	}
	if err := Publish(draft, path, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want fs.ErrNotExist", err)
	}
	onlyFile(t, path)
}

var must = mediatest.Must

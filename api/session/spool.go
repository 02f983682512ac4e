package session

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"mediadesk/api"
	"mediadesk/api/job"
)

// Spool writes data without a file, such as standard input, to a file of that name in the folder
// dir, since an upload needs its length and may be repeated. size is the result of write. The file
// stays while this process runs or an upload or a draft needs it. After an error there is no file.
func Spool(dir, name string, write func(io.Writer) (size int64, err error)) (path string, size int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, err
	}
	// In a folder of its own the file can have a plain name. The lock ends with the process.
	folder := filepath.Join(dir, rand.Text())
	lock := flock.New(folder + spoolLock)
	if _, err := lock.TryLock(); err != nil {
		return "", 0, err
	}
	spooled.Store(folder, lock)
	defer func() {
		if err != nil {
			spooled.Delete(folder)
			_ = errors.Join(os.RemoveAll(folder), os.Remove(lock.Path()), lock.Unlock())
		}
	}()
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", 0, err
	}
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	if size, err = write(f); err != nil {
		return "", 0, err
	}
	return f.Name(), size, f.Sync()
}

// spooled keeps the locks of Spool by folder: an unreachable one would be closed.
var spooled sync.Map

const spoolLock = ".lock"

// removeUnused removes copies that no running program, unfinished upload or draft needs.
func (s *Session) removeUnused(ctx context.Context) {
	dir := s.options.Paths.Spool()
	entries, _ := os.ReadDir(dir) // usually there is none
	for _, e := range entries {
		folder := filepath.Join(dir, strings.TrimSuffix(e.Name(), spoolLock))
		needed, err := s.Journal.Mentions(ctx, filepath.Base(folder))
		if id, ok := strings.CutPrefix(e.Name(), originPrefix); ok {
			n, _ := strconv.ParseInt(id, 10, 64)
			var j job.Job
			j, _, err = s.Journal.Job(ctx, n)
			needed = j.ID != 0 && !j.State.Final()
		}
		if err == nil && !needed {
			err = removeSpool(folder)
		}
		if err != nil {
			slog.Warn("could not remove the copy of a source", "err", err)
		}
	}
}

func removeSpool(folder string) error {
	lock := flock.New(folder + spoolLock)
	if free, err := lock.TryLock(); err != nil || !free {
		return err
	}
	return errors.Join(os.RemoveAll(folder), os.Remove(lock.Path()), lock.Unlock())
}

// removeSpooled removes the copy that a job was sent from: if it is stored, or if the user of a
// command will not repeat it. A file of another profile can be fetched again.
func (s *Session) removeSpooled(j *job.Job) error {
	spool := s.options.Paths.Spool()
	if j.Upload.Source.Origin != (api.Origin{}) {
		return os.RemoveAll(originSpool(spool, j.ID))
	}
	dir := filepath.Dir(j.Upload.Source.Path)
	if filepath.Dir(dir) != spool || j.State != job.Stored &&
		(s.options.Adopt || j.State != job.Refused && j.State != job.Cancelled) {
		return nil
	}
	if lock, ok := spooled.LoadAndDelete(dir); ok {
		_ = lock.(*flock.Flock).Unlock()
	}
	return removeSpool(dir)
}

const originPrefix = "job-"

func originSpool(spool string, j int64) string {
	return filepath.Join(spool, originPrefix+strconv.FormatInt(j, 10))
}

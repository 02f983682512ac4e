package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mediadesk/api"
)

// Spool has what has no file of its own, such as standard input, written to a file with
// that name in the folder dir: an upload needs its length, and may have to be sent again.
// The size is what write returns. The file is removed when it is stored. After an error
// there is no file.
func Spool(dir, name string, write func(io.Writer) (size int64, err error)) (path string, size int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, err
	}
	// A folder of its own lets the file have a name that users know.
	own, err := os.MkdirTemp(dir, "")
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(own) // the first error counts
		}
	}()
	f, err := os.Create(filepath.Join(own, name))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	if size, err = write(f); err != nil {
		return "", 0, err
	}
	return f.Name(), size, f.Sync()
}

// removeSpooled removes the copy that a job was sent from, once it has an outcome. The
// data of standard input is needed until it is stored; a file of another profile can be
// fetched again.
func (s *Session) removeSpooled(j *api.Job) error {
	spool := s.options.Paths.Spool()
	if j.Upload.Source.Origin != (api.Origin{}) {
		return os.RemoveAll(originSpool(spool, j.ID))
	}
	if dir := filepath.Dir(j.Upload.Source.Path); j.State == api.Stored && filepath.Dir(dir) == spool {
		return os.RemoveAll(dir)
	}
	return nil
}

// originSpool is the folder that the file of another profile is fetched to for a job.
func originSpool(spool string, job int64) string {
	return filepath.Join(spool, fmt.Sprintf("job-%d", job))
}

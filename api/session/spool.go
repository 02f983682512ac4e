package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mediadesk/api"
)

// Spool writes data without a file, such as standard input, to a file of that name in the folder
// dir, since an upload needs its length and may be repeated. size is the result of write. The file
// is removed when it is stored. After an error there is no file.
func Spool(dir, name string, write func(io.Writer) (size int64, err error)) (path string, size int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", 0, err
	}
	// In a folder of its own the file can have a plain name.
	own, err := os.MkdirTemp(dir, "")
	if err != nil {
		return "", 0, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(own)
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

// removeSpooled removes the copy that a job was sent from. Standard input is needed until it is
// stored; a file of another profile can be fetched again.
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

// originSpool returns the folder for a job's file from another profile.
func originSpool(spool string, job int64) string {
	return filepath.Join(spool, fmt.Sprintf("job-%d", job))
}

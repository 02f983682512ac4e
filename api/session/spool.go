package session

import (
	"io"
	"os"
	"path/filepath"

	"mediadesk/config"
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

// removeSpooled removes the copy that an upload was sent from.
func removeSpooled(paths config.Paths, source string) error {
	if dir := filepath.Dir(source); filepath.Dir(dir) == paths.Spool() {
		return os.RemoveAll(dir)
	}
	return nil
}

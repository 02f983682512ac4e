// Package assets holds the files that are compiled into the program.
package assets

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed sample
var files embed.FS

// FirstSample is the sample to begin with: remove-bg works well on it.
const FirstSample = "mug.jpg"

// Samples are pictures to try the program with: a photograph with EXIF data
// and a turned orientation, a subject before a plain background, a drawing
// with an alpha channel, an animation.
func Samples() fs.FS {
	sub, err := fs.Sub(files, "sample")
	if err != nil {
		return files // cannot be: the folder is compiled in
	}
	return sub
}

// WriteSamples puts the sample pictures into a folder of their own, which is
// made. A file that is there already stays as it is.
func WriteSamples(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := fs.ReadDir(Samples(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := fs.ReadFile(Samples(), e.Name())
		if err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("sample picture %s: %w", e.Name(), err)
		}
	}
	return nil
}

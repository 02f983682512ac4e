//go:build !linux

package local_test

import (
	"errors"
	"os"
	"time"
)

// syncData writes the bytes of a file to the disk.
func syncData(f *os.File) error { return f.Sync() }

// writeUnnamed writes a file to the disk and then gives it a name.
func writeUnnamed(dir, path string, data []byte) error {
	f, err := os.CreateTemp(dir, "unnamed-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// processorTime returns 0, because the time is not known here.
func processorTime() time.Duration { return 0 }

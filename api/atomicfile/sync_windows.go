package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// While another process has the file open for a moment, to read or to scan it,
// Windows refuses to replace it.
const (
	renameAttempts = 50
	renameDelay    = 20 * time.Millisecond
)

func rename(from, to string) error {
	for n := 1; ; n++ {
		err := os.Rename(from, to)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy || n == renameAttempts {
			return err
		}
		<-time.After(renameDelay)
	}
}

func syncDir(string) error { return nil }

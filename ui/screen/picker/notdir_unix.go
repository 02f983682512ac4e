//go:build unix

package picker

import (
	"errors"
	"syscall"
)

// isNotDir tells the error of a path that goes through a file.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

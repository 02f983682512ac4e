//go:build !unix

package terminal

import (
	"errors"
	"os"
	"time"
)

// readWithin is not supported on this system.
func readWithin(*os.File, time.Duration) ([]byte, error) {
	return nil, errors.New("not known on this system")
}

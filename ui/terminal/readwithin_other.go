//go:build !unix

package terminal

import (
	"errors"
	"os"
	"time"
)

// ReadWithin is not known on this system.
func ReadWithin(*os.File, time.Duration) ([]byte, error) {
	return nil, errors.New("not known on this system")
}

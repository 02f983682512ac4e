//go:build unix

package terminal

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readWithin reads the terminal's output for at most wait. It returns nothing on a
// timeout.
func readWithin(in *os.File, wait time.Duration) ([]byte, error) {
	if wait <= 0 {
		return nil, nil
	}
	poll := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, int(wait.Milliseconds())+1)
	if errors.Is(err, unix.EINTR) {
		return readWithin(in, wait-time.Millisecond)
	}
	if err != nil || n == 0 {
		return nil, err
	}
	buf := make([]byte, 4096)
	n, err = unix.Read(int(in.Fd()), buf)
	return buf[:max(n, 0)], err
}

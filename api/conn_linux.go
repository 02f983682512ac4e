package api

import (
	"golang.org/x/sys/unix"
)

// sendQueue returns the number of unacknowledged bytes of a socket; 0 if unknown.
func sendQueue(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
	if err != nil {
		return 0
	}
	return n
}

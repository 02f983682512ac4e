package api

import "golang.org/x/sys/unix"

// sendQueue returns the number of unsent bytes of a socket; 0 if unknown.
func sendQueue(fd int) int {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_NWRITE)
	if err != nil {
		return 0
	}
	return n
}

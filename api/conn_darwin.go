package api

import "golang.org/x/sys/unix"

// sendQueue is how many bytes of a socket were not sent yet; 0 where that is not
// known.
func sendQueue(fd int) int {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_NWRITE)
	if err != nil {
		return 0
	}
	return n
}

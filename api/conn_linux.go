package api

import "golang.org/x/sys/unix"

// sendQueue is how many bytes of a socket were not acknowledged yet; 0 where that is
// not known.
func sendQueue(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
	if err != nil {
		return 0
	}
	return n
}

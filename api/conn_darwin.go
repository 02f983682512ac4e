package api

import "golang.org/x/sys/unix"

func sendQueue(fd int) int {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_NWRITE)
	if err != nil {
		return 0
	}
	return n
}

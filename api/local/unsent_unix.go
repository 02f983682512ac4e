//go:build linux || darwin

package local

import (
	"context"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnsent makes the system report room for more only when little is left to
// send, so that a write ends when the client reads, not when megabytes were read.
// Without it a download that moves at 13 KB/s stands still for more than patience
// again and again, and breaks off; with it 7 KB/s are enough (on loopback, whose
// packets are the largest). It does not slow down fast downloads.
func limitUnsent(ctx context.Context, c net.Conn) context.Context {
	if conn, ok := c.(syscall.Conn); ok {
		if raw, err := conn.SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) { //nolint:errcheck // the default is good for most clients
				unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, writePart) //nolint:errcheck // as above
			})
		}
	}
	return ctx
}

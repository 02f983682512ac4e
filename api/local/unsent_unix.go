//go:build linux || darwin

package local

import (
	"context"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnsent makes the system accept more data only when little is left to send, so that writes
// follow the client's reading. Without it a download at 13 KB/s seems idle for longer than patience
// and breaks off; with it 7 KB/s suffice (on loopback). Fast downloads are as fast as before.
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

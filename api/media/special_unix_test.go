//go:build unix

package media

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSpecialFiles would hang if a FIFO were opened like a file.
func TestSpecialFiles(t *testing.T) {
	// Paths of sockets must be short.
	dir, err := os.MkdirTemp("", "pic")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	fifo := filepath.Join(dir, "fifo.jpg")
	must(t, syscall.Mkfifo(fifo, 0o600))
	refused(t, fifo, "pipe")
	socket := filepath.Join(dir, "socket.jpg")
	l, err := net.Listen("unix", socket)
	must(t, err)
	defer func() { _ = l.Close() }()
	refused(t, socket, "socket")
	refused(t, os.DevNull, "device")
	link := filepath.Join(dir, "link.jpg")
	must(t, os.Symlink(fifo, link))
	refused(t, link, "pipe")
}

//go:build unix

package api

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock does not block if a pipe has replaced the file.
func openNonblock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// IdentityOf returns the identity of the file described by info.
func IdentityOf(info fs.FileInfo) Identity {
	id := Identity{Size: info.Size(), Modified: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode = uint64(stat.Dev), stat.Ino //nolint:unconvert // the types differ by system
	}
	return id
}

//go:build unix

package api

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps a pipe that took the file's place from holding us up.
func openNonblock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// IdentityOf returns the identity of the file that info is of.
func IdentityOf(info fs.FileInfo) Identity {
	id := Identity{Size: info.Size(), Modified: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode = uint64(stat.Dev), stat.Ino //nolint:unconvert // the type differs between systems
	}
	return id
}

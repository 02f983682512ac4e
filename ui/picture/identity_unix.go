//go:build unix

package picture

import (
	"io/fs"
	"syscall"
)

// diskPlace identifies a file independent of its name.
func diskPlace(info fs.FileInfo) (device, inode uint64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(s.Dev), s.Ino //nolint:gosec,unconvert // of another type on other systems
}

//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const openWithoutWaiting = syscall.O_NONBLOCK

// checkOwner refuses a key file that is another user's, or that others may read or write.
func checkOwner(info fs.FileInfo, forbidden mayRead) error {
	if open := info.Mode().Perm() & fs.FileMode(forbidden); open != 0 {
		return fmt.Errorf("others may use the file (its mode is %04o): run chmod 600 on it", info.Mode().Perm())
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(stat.Uid) != os.Geteuid() && (forbidden == ownerOnly || stat.Uid != 0) {
		return fmt.Errorf("the file belongs to user %d and not to you: make a copy of your own with mode 0600", stat.Uid)
	}
	return nil
}

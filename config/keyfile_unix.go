//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

const openWithoutWaiting = syscall.O_NONBLOCK

// checkOwner rejects a key file that belongs to another user, or that others may read or write.
func checkOwner(info fs.FileInfo, forbidden fs.FileMode) error {
	if open := info.Mode().Perm() & forbidden; open != 0 {
		return fmt.Errorf("others may use the file (its mode is %04o): run chmod 600 on it", info.Mode().Perm())
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(stat.Uid) != os.Geteuid() && (forbidden == ownerOnly || stat.Uid != 0) {
		return fmt.Errorf("the file belongs to user %d and not to you: make a copy of your own with mode 0600", stat.Uid)
	}
	return nil
}

// checkWriters returns an error if other users except root may write a settings file, with the
// command that fixes it.
func checkWriters(path string, info fs.FileInfo) error {
	if strings.ContainsFunc(path, func(r rune) bool { return r == ' ' || !unicode.IsGraphic(r) }) {
		path = strconv.Quote(path)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others may write the file (its mode is %04o): run chmod go-w %s", info.Mode().Perm(), path)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(stat.Uid) != os.Geteuid() && stat.Uid != 0 {
		return fmt.Errorf("the file belongs to user %d and not to you: run chown %d %s as root", stat.Uid, os.Geteuid(), path)
	}
	return nil
}

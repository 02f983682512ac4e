package store

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// draftUnnamed creates a file without a name; linkUnnamed names it. This is faster than renaming:
// with 8 concurrent drafts of 20 kB each takes 1.0 ms, not 1.5 ms (ext4). Unnamed files vanish with
// the process.
func draftUnnamed(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(fd), filepath.Join(dir, "unnamed")), nil
}

// linkUnnamed names a file; fs.ErrExist if the name is taken.
func linkUnnamed(f *os.File, path string) error {
	err := unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: "a draft", New: path, Err: err}
	}
	return nil
}

// canDraftUnnamed tries it, since file systems without support exist and /proc may be missing.
func canDraftUnnamed(dir string) bool {
	f, err := draftUnnamed(dir)
	if err != nil {
		return false
	}
	path := filepath.Join(dir, "draft-"+NewID())
	return errors.Join(linkUnnamed(f, path), f.Close(), os.Remove(path)) == nil
}

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// A file without a name costs the file system less than one that is named
// twice, and nothing is left of it when the process ends.

func draftUnnamed(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(fd), filepath.Join(dir, "unnamed")), nil
}

// linkUnnamed gives a file its name; fs.ErrExist where there is one of it.
func linkUnnamed(f *os.File, path string) error {
	err := unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: "a draft", New: path, Err: err}
	}
	return nil
}

// canDraftUnnamed tries it: some file systems cannot, and /proc may be missing.
func canDraftUnnamed(dir string) bool {
	f, err := draftUnnamed(dir)
	if err != nil {
		return false
	}
	path := filepath.Join(dir, "draft-"+NewID())
	return errors.Join(linkUnnamed(f, path), f.Close(), os.Remove(path)) == nil
}

// startWriting lets the disk begin with a part of a file while the rest comes
// in, so that the sync at its end has less to wait for.
func startWriting(f *os.File, at, length int64) {
	unix.SyncFileRange(int(f.Fd()), at, length, unix.SYNC_FILE_RANGE_WRITE) //nolint:errcheck // the sync at the end tells
}

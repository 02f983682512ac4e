package local_test

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// syncData writes the bytes of a file to the disk, without waiting for its metadata.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }

// writeUnnamed writes a file to the disk and then gives it a name.
func writeUnnamed(dir, path string, data []byte) error {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	if _, err = unix.Write(fd, data); err == nil {
		err = unix.Fdatasync(fd)
	}
	if err == nil {
		err = unix.Linkat(unix.AT_FDCWD, fmt.Sprint("/proc/self/fd/", fd), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	}
	return errors.Join(err, unix.Close(fd))
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

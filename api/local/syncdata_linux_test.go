package local_test

import (
	"os"
	"syscall"
)

// syncData writes the bytes of a file to the disk, by the quickest means.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

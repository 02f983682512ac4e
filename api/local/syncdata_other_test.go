//go:build !linux

package local_test

import "os"

// syncData writes the bytes of a file to the disk.
func syncData(f *os.File) error { return f.Sync() }

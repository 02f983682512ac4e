package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Permission bits that a key file must not have.
const (
	ownerOnly    fs.FileMode = 0o077
	notForOthers fs.FileMode = 0o007 // group allowed: systemd shows its access list there
)

func readKeyFile(path string, forbidden fs.FileMode) (Secret, error) {
	file, err := openKeyFile(path, forbidden)
	if err != nil {
		return Secret{}, err
	}
	defer file.Close()
	return readKey(file)
}

func openKeyFile(path string, forbidden fs.FileMode) (*os.File, error) {
	// Nonblocking, because opening a FIFO waits for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, fmt.Errorf("it cannot be opened (%w): check the path and its permissions", cause(err))
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("it cannot be looked at: %w", cause(err))
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	default:
		err = checkOwner(info, forbidden)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func readKey(r io.Reader) (Secret, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSecret+3)) // the longest key, a line end, and one byte too many
	if err != nil {
		return Secret{}, fmt.Errorf("it cannot be read: %w", cause(err))
	}
	return NewSecret(string(data))
}

// OpenFD returns the file descriptor of --key-fd, for Keys.FD; 0 is standard input. Close it after
// the first Find. An error is a *SourceError.
func OpenFD(fd int) (*os.File, error) {
	fail := func(problem string) (*os.File, error) {
		return nil, &SourceError{SourceFD, fmt.Errorf("--key-fd %d: %s", fd, problem)}
	}
	if fd < 0 {
		return fail("a file descriptor is 0 or above")
	}
	file := os.NewFile(uintptr(fd), fmt.Sprintf("file descriptor %d", fd))
	if file == nil {
		return fail("there is no such file descriptor")
	}
	if _, err := file.Stat(); err != nil {
		return fail("nothing is open there: open it as in 3< FILE")
	}
	return file, nil
}

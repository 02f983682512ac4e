// Package atomicfile writes files that appear complete or not at all.
//
// After a crash or a power cut, at any moment, a path holds what it held before
// or all of the new content. Readers in other processes never see a part of it.
// All functions sync the file and its folder before they return. A symbolic link
// at the path is replaced, not followed.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// tempPrefix begins the names of temporary files. They lie in the folder of the
// file that is written; only a killed process leaves one behind.
const tempPrefix = ".new-"

// WriteFile writes data to path, which it creates or replaces. The file has
// exactly the permissions perm, whatever the umask is. The folder must exist.
// After an error, path holds what it held before, unless the error says that its
// folder could not be synced.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return Write(path, perm, fill(data))
}

// Create is like WriteFile, but the file must not exist: otherwise nothing
// changes and the error is fs.ErrExist. Of several processes that create the
// same file at once, one succeeds.
func Create(path string, data []byte, perm fs.FileMode) error {
	return write(path, perm, fill(data), link)
}

// Write is like WriteFile for content that is not in memory: fill writes it. An
// error of fill is returned as it is, and path keeps what it held.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) error {
	return write(path, perm, fill, rename)
}

func fill(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func write(path string, perm fs.FileMode, fill func(io.Writer) error,
	publish func(from, to string) error,
) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after a rename it is gone already
	err = fill(f)
	if err == nil {
		err = errors.Join(f.Chmod(perm), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := publish(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Rename gives a file or folder another path, and replaces a file there. The content
// of a file must be synced before.
func Rename(from, to string) error {
	if err := rename(from, to); err != nil {
		return err
	}
	return errors.Join(SyncDir(filepath.Dir(to)), SyncDir(filepath.Dir(from)))
}

// Publish makes draft, a complete file that something else wrote, the file path: it
// sets the permissions, syncs, and renames.
func Publish(draft, path string, perm fs.FileMode) error {
	f, err := os.OpenFile(draft, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return err
	}
	return Rename(draft, path)
}

// link gives a file a second name that nothing else has.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// Some file systems have no links. An empty file reserves the name; it
	// remains if the process ends before the rename.
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), rename(from, to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// SyncDir makes the names in a folder, such as those of files that were created
// or renamed in it, last through a power cut. It does nothing where folders
// cannot be synced: on Windows, and in some network file systems.
func SyncDir(dir string) error {
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("sync the folder %s: %w", dir, err)
	}
	return nil
}

package journal

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// owner identifies this process as the owner of jobs: a random name, and a lock on a file of that
// name, which ends with the process.
type owner struct {
	name string
	lock *flock.Flock
}

func newOwner(path string) (*owner, error) {
	o := &owner{name: rand.Text()}
	o.lock = flock.New(ownerFile(path, o.name))
	ok, err := o.lock.TryLock()
	if err == nil && !ok {
		err = errors.New("the lock of a new name is taken")
	}
	return o, err
}

func ownerFile(path, name string) string { return path + "." + name + ".lock" }

// close releases the lock. It removes the file first, while it is still locked.
func (o *owner) close() error {
	return errors.Join(remove(o.lock.Path()), o.lock.Unlock())
}

// ownerGone reports whether the process that owned jobs under name has ended.
func ownerGone(path, name string) bool {
	if name == "" {
		return true
	}
	file := ownerFile(path, name)
	if _, err := os.Stat(file); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	lock := flock.New(file)
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return false
	}
	// Remove the lock file of a killed process.
	return errors.Join(remove(file), lock.Unlock()) == nil
}

func remove(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

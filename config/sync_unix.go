//go:build unix

package config

import "os"

// syncDir makes a rename in a folder last through a power cut.
func syncDir(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if closed := folder.Close(); err == nil {
		err = closed
	}
	return err
}

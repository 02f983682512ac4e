//go:build !unix

package api

import (
	"io/fs"
	"os"
)

func openNonblock(name string) (*os.File, error) { return os.Open(name) }

// IdentityOf returns the identity of the file described by info.
func IdentityOf(info fs.FileInfo) Identity {
	return Identity{Size: info.Size(), Modified: info.ModTime()}
}

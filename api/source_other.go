//go:build !unix

package api

import (
	"io/fs"
	"os"
)

func openNonblock(name string) (*os.File, error) { return os.Open(name) }

func identityOf(info fs.FileInfo) Identity {
	return Identity{Size: info.Size(), Modified: info.ModTime()}
}

//go:build !linux

package picker

import (
	"io/fs"
	"os"
)

// lister gives the names of a folder.
type lister struct{ dir *os.File }

func newLister(dir *os.File) *lister { return &lister{dir: dir} }

// read hands over some names with the types that the folder itself tells;
// io.EOF where there are no more. A name is good until take returns.
func (l *lister) read(take func(name []byte, mode fs.FileMode)) error {
	found, err := l.dir.ReadDir(readAtOnce)
	for _, d := range found {
		take([]byte(d.Name()), d.Type())
	}
	return err
}

package picker

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// listBytes is how much of a folder is asked for at once: some two thousand
// names.
const listBytes = 128 << 10

// lister gives the names of a folder. It asks the system itself: of a hundred
// thousand names the standard library makes two hundred thousand pieces of
// memory, which takes longer than the reading.
type lister struct {
	dir *os.File
	buf []byte
}

func newLister(dir *os.File) *lister { return &lister{dir: dir, buf: make([]byte, listBytes)} }

// Where the parts of a name's record are (struct linux_dirent64).
const (
	recordLength = 16 // two bytes
	recordType   = 18
	recordName   = 19 // ends with a zero
)

// read hands over some names with the types that the folder itself tells;
// io.EOF where there are no more. A name is good until take returns.
func (l *lister) read(take func(name []byte, mode fs.FileMode)) error {
	n, err := unix.Getdents(int(l.dir.Fd()), l.buf)
	for err == unix.EINTR { //nolint:errorlint // a bare number
		n, err = unix.Getdents(int(l.dir.Fd()), l.buf)
	}
	if err != nil {
		return os.NewSyscallError("getdents64", err)
	}
	if n <= 0 {
		return io.EOF
	}
	for rest := l.buf[:n]; len(rest) > recordName; {
		length := int(binary.NativeEndian.Uint16(rest[recordLength:]))
		if length <= recordName || length > len(rest) {
			break
		}
		record := rest[:length]
		rest = rest[length:]
		name := record[recordName:]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if string(name) == "." || string(name) == ".." || len(name) == 0 {
			continue
		}
		take(name, l.mode(name, record[recordType]))
	}
	return nil
}

// mode is the type of a record; file systems that do not tell it are asked.
func (l *lister) mode(name []byte, kind byte) fs.FileMode {
	switch kind {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_FIFO:
		return fs.ModeNamedPipe
	case unix.DT_SOCK:
		return fs.ModeSocket
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.DT_BLK:
		return fs.ModeDevice
	}
	info, err := os.Lstat(l.dir.Name() + "/" + string(name))
	if err != nil {
		return fs.ModeIrregular // it is gone by now
	}
	return info.Mode().Type()
}

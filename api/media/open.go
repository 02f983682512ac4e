package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// OpenFile opens a regular file for reading. It returns an [*Error] for anything else. It
// never blocks on a FIFO.
func OpenFile(path string) (*os.File, fs.FileInfo, error) {
	// Check before opening, since opening a device can have side effects.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, openError(err)
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	// The name may be that of a FIFO by now.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, openError(err)
	}
	return f, info, nil
}

// regular returns an error that describes info unless it is a regular file.
func regular(info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "it is a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "it is a pipe (FIFO), not a file"
	case mode&fs.ModeSocket != 0:
		what = "it is a socket, not a file"
	case mode&fs.ModeDevice != 0:
		what = "it is a device, not a file"
	default:
		what = "it is not a regular file"
	}
	return &Error{Reason: ErrUnreadable, Detail: what}
}

// source stops reading when its context ends, which is the only way to stop a decoder.
type source struct {
	ctx context.Context
	rs  io.ReadSeeker
	// left is how many more bytes may be read.
	left int64
}

// maxHeader limits the length of a header in bytes. Some pictures have large previews in front.
const maxHeader = 16 << 20

// maxRead is the largest single read in bytes. A few bytes can expand to a whole scan of a
// JPEG, and source checks the context only between reads.
const maxRead = 512

var errTooFar = errors.New("no picture within the first 16 MB")

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.left <= 0 {
		return 0, errTooFar
	}
	n, err := s.rs.Read(p[:min(len(p), maxRead)])
	s.left -= int64(n)
	return n, err
}

func (s *source) Seek(offset int64, whence int) (int64, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.rs.Seek(offset, whence)
}

// ReadAt is for the TIFF decoder, which otherwise copies the whole file to memory.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if _, err := s.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(s.rs, p)
}

// newSource returns a source of at most limit bytes.
func newSource(ctx context.Context, rs io.ReadSeeker, limit int64) io.ReadSeeker {
	return &source{ctx: ctx, rs: rs, left: limit}
}

package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// OpenFile opens a regular file for reading; the error says why anything else is
// refused. It never waits: a FIFO is neither opened blockingly nor read.
func OpenFile(path string) (*os.File, fs.FileInfo, error) {
	// Looking before opening keeps devices shut, whose mere opening can act.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, openError(err)
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, openError(err)
	}
	// The name may refer to another file by now: use the open one.
	info, err = f.Stat()
	if err == nil {
		err = regular(info)
	} else {
		err = openError(err)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// regular refuses what is not a regular file, in words.
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

// source stops reading when its context ends, the only way to stop decoders.
type source struct {
	ctx context.Context //nolint:containedctx // of the call that opened the file
	rs  io.ReadSeeker
	// left is how many bytes may still be read.
	left int64
}

// maxHeader is how far a header may reach. Some pictures carry large previews in
// front; beyond this there is only garbage to search through.
const maxHeader = 16 << 20

// maxRead is how much is read at once. A few bytes can stand for a whole scan of a
// JPEG, and the context is looked at between two reads only.
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

// sourceAt is a source that can also be read at random, which spares the TIFF
// decoder a copy of the whole file in memory.
type sourceAt struct {
	source
	at io.ReaderAt
}

func (s *sourceAt) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.at.ReadAt(p, off)
}

// newSource makes a source of at most limit bytes.
func newSource(ctx context.Context, rs io.ReadSeeker, limit int64) io.ReadSeeker {
	s := source{ctx: ctx, rs: rs, left: limit}
	if at, ok := rs.(io.ReaderAt); ok {
		return &sourceAt{source: s, at: at}
	}
	return &s
}

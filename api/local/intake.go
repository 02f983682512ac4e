package local

import (
	"io"
	"sync"
)

// The body of an upload is read in small pieces by what takes it apart, and
// from the connection in large ones once it has shown to be large: many small
// ones may be coming in at once.
const (
	smallIntake = 16 << 10
	largeIntake = 256 << 10
	largeBody   = 1 << 20
)

var smallIntakes = sync.Pool{New: func() any { return new([smallIntake]byte) }}

// intake reads ahead from a body. It ends with release.
type intake struct {
	from   io.Reader
	small  *[smallIntake]byte // lent from smallIntakes; nil: none
	buffer []byte
	ahead  []byte // of the buffer: not taken yet
	total  int64
	err    error // comes after what is ahead
}

func (i *intake) Read(p []byte) (int, error) {
	if len(i.ahead) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		switch {
		case i.buffer == nil:
			i.small = smallIntakes.Get().(*[smallIntake]byte)
			i.buffer = i.small[:]
		case i.total >= largeBody && len(i.buffer) < largeIntake:
			i.buffer = make([]byte, largeIntake)
		}
		var n int
		n, i.err = i.from.Read(i.buffer)
		i.total += int64(n)
		i.ahead = i.buffer[:n]
		if n == 0 {
			return 0, i.err
		}
	}
	n := copy(p, i.ahead)
	i.ahead = i.ahead[n:]
	return n, nil
}

// release gives back what was lent; nothing can be read afterwards.
func (i *intake) release() {
	if i.small != nil {
		smallIntakes.Put(i.small)
	}
	i.small, i.buffer, i.ahead, i.err = nil, nil, nil, io.ErrClosedPipe
}

package local

import "io"

// The body of an upload is read in small pieces by what takes it apart, and
// from the connection in large ones once it has shown to be large: many small
// ones may be coming in at once.
const (
	smallIntake = 16 << 10
	largeIntake = 256 << 10
	largeBody   = 1 << 20
)

// intake reads ahead from a body.
type intake struct {
	from   io.Reader
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
		size := smallIntake
		if i.total >= largeBody {
			size = largeIntake
		}
		if len(i.buffer) < size {
			i.buffer = make([]byte, size)
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

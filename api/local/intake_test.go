package local

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// TestIntake reads bodies of many sizes in pieces: the same bytes come out,
// and the error that the body ended with comes after them.
func TestIntake(t *testing.T) {
	broken := errors.New("broken")
	for _, size := range []int{0, 1, smallIntake, smallIntake + 1, largeBody - 1, largeBody + largeIntake + 1, 3 << 20} {
		data := make([]byte, size)
		for n := range data {
			data[n] = byte(n * 31 >> 3)
		}
		for name, from := range map[string]io.Reader{
			"plain":             bytes.NewReader(data),
			"halves":            iotest.HalfReader(bytes.NewReader(data)),
			"end with the last": iotest.DataErrReader(bytes.NewReader(data)),
		} {
			got, err := io.ReadAll(&intake{from: io.MultiReader(from, iotest.ErrReader(broken))})
			if !errors.Is(err, broken) || !bytes.Equal(got, data) {
				t.Errorf("%s: %d bytes came out as %d, %v", name, size, len(got), err)
			}
		}
	}
}

package api_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"mediadesk/api"
)

// line is a connection that takes so many bytes a second, and other many from a
// point on.
type line struct {
	net.Conn
	rate, later, from int
	got               bytes.Buffer
	pieces            []int
}

func (l *line) Write(p []byte) (int, error) {
	rate := l.rate
	if l.from > 0 && l.got.Len() >= l.from {
		rate = l.later
	}
	<-time.After(time.Duration(len(p)) * time.Second / time.Duration(rate))
	l.pieces = append(l.pieces, len(p))
	return l.got.Write(p)
}

// TestPiecesAreAsLargeAsTheLineIsFast: on a slow line the bytes are counted
// often enough to see that they move.
func TestPiecesAreAsLargeAsTheLineIsFast(t *testing.T) {
	const kB, MB = 1 << 10, 1 << 20
	for _, c := range []struct {
		name        string
		line        line
		most, least int // of a piece, the last one of a body apart
		last        int // the largest of the last ten
	}{
		{"fast", line{rate: 500 * MB}, 256 * kB, 32 * kB, 256 * kB},
		{"middling", line{rate: MB}, 64 * kB, 32 * kB, 64 * kB},
		{"slow", line{rate: 10 * kB}, 32 * kB, 32 * kB, 32 * kB},
		{"getting slow", line{rate: 500 * MB, later: 20 * kB, from: 2 * MB}, 256 * kB, 32 * kB, 32 * kB},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := bytes.Repeat([]byte("0123456789"), 400_000)
				n, err := api.SendForTest(&c.line, bytes.NewReader(body))
				if err != nil || n != int64(len(body)) || !bytes.Equal(c.line.got.Bytes(), body) {
					t.Fatalf("%d of %d bytes, %v", n, len(body), err)
				}
				pieces := c.line.pieces[:len(c.line.pieces)-1]
				if most, least := slices.Max(pieces), slices.Min(pieces); most != c.most || least != c.least {
					t.Errorf("pieces of %d to %d, want %d to %d", least, most, c.least, c.most)
				}
				if last := slices.Max(pieces[len(pieces)-min(10, len(pieces)):]); last != c.last {
					t.Errorf("the last pieces have up to %d, want %d", last, c.last)
				}
			})
		})
	}
}

// TestABodyThatCannotBeRead ends the sending with its own error.
func TestABodyThatCannotBeRead(t *testing.T) {
	broken := errors.New("broken")
	l := line{rate: 1 << 30}
	n, err := api.SendForTest(&l, io.MultiReader(bytes.NewReader(make([]byte, 100_000)), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || n != 100_000 || l.got.Len() != 100_000 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

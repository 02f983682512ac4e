package local

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"
)

var errNotBase64 = badRequest("Your request contains invalid file parameter. The text is neither an http or https address nor base64.",
	"Send bytes as a part with a file name, an address, or valid base64.")

// dataURI reads the head of a data: URI and returns a reader of what it holds.
func dataURI(body *bufio.Reader) (io.Reader, error) {
	head, err := body.ReadSlice(',')
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) {
			return nil, errNotBase64
		}
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(string(head[:len(head)-1]))), ";base64") {
		b := newBase64Reader(body)
		b.escapes = true
		return b, nil
	}
	return percentReader{body}, nil // a vector picture as text, say
}

// percentReader decodes percent-encoded bytes as a stream.
type percentReader struct{ src *bufio.Reader }

func (r percentReader) Read(p []byte) (int, error) {
	for n := range p {
		c, err := r.src.ReadByte()
		if err == nil && c == '%' {
			c, err = escaped(r.src)
		}
		if err != nil {
			if n > 0 && errors.Is(err, io.EOF) {
				return n, nil
			}
			return n, err
		}
		p[n] = c
	}
	return len(p), nil
}

// escaped reads the two digits after a percent sign.
func escaped(src *bufio.Reader) (byte, error) {
	var digits, c [2]byte
	if _, err := io.ReadFull(src, digits[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errNotBase64
		}
		return 0, err
	}
	if _, err := hex.Decode(c[:], digits[:]); err != nil {
		return 0, errNotBase64
	}
	return c[0], nil
}

// base64Reader decodes base64 as a stream: both alphabets, white space
// anywhere, padding required. A name of a file that was sent by mistake is
// seldom all that.
type base64Reader struct {
	src     *bufio.Reader
	group   [4]byte
	n       int // characters in group
	padding int
	out     []byte // decoded and not given yet
	buffer  [3]byte
	any     bool
	escapes bool // characters may be percent-encoded: it is part of an address
}

func newBase64Reader(src *bufio.Reader) *base64Reader { return &base64Reader{src: src} }

func (b *base64Reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if took := b.many(p[n:]); took > 0 {
			n += took
			continue
		}
		if len(b.out) == 0 {
			if err := b.next(); err != nil {
				if n > 0 && errors.Is(err, io.EOF) {
					return n, nil
				}
				return n, err
			}
		}
		took := copy(p[n:], b.out)
		b.out = b.out[took:]
		n += took
	}
	return n, nil
}

// many decodes what is buffered as long as it is nothing but the usual
// alphabet, and nothing where it is more than that.
func (b *base64Reader) many(p []byte) int {
	if len(b.out) > 0 || b.n > 0 || b.padding > 0 {
		return 0
	}
	text, _ := b.src.Peek(min(b.src.Buffered(), len(p)/3*4) / 4 * 4)
	n, err := base64.StdEncoding.Decode(p, text)
	if err != nil || n != len(text)/4*3 {
		return 0 // next looks at each character; what stands in p is written over
	}
	if n > 0 {
		b.any = true
	}
	b.src.Discard(len(text)) //nolint:errcheck // it was there to be looked at
	return n
}

// next decodes the next four characters.
func (b *base64Reader) next() error {
	for b.n < 4 {
		c, err := b.src.ReadByte()
		if errors.Is(err, io.EOF) {
			if b.n != 0 || !b.any {
				return errNotBase64
			}
			return io.EOF
		}
		if err == nil && c == '%' && b.escapes {
			c, err = escaped(b.src)
		}
		if err != nil {
			return err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '-':
			c = '+'
		case '_':
			c = '/'
		case '=':
			b.padding++
		}
		if b.padding > 0 && (c != '=' || b.padding > 2) {
			return errNotBase64 // something follows the end
		}
		b.group[b.n] = c
		b.n++
	}
	n, err := base64.StdEncoding.Decode(b.buffer[:], b.group[:])
	if err != nil {
		return errNotBase64
	}
	b.n, b.out, b.any = 0, b.buffer[:n], true
	return nil
}

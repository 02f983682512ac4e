package local

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
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
		return newBase64Reader(body), nil
	}
	// Percent-encoded text, such as a small vector picture.
	text, err := io.ReadAll(io.LimitReader(body, maxText+1))
	if err != nil {
		return nil, err
	}
	plain, err := url.PathUnescape(string(text))
	if err != nil || len(text) > maxText {
		return nil, errNotBase64
	}
	return strings.NewReader(plain), nil
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
		if err == io.EOF {
			if b.n != 0 || !b.any {
				return errNotBase64
			}
			return io.EOF
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

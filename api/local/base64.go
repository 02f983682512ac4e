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

// dataURI reads the head of a data: URI and returns a reader of its content.
func dataURI(body *bufio.Reader) (io.Reader, error) {
	head, err := body.ReadSlice(',')
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) {
			return nil, errNotBase64
		}
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(string(head[:len(head)-1]))), ";base64") {
		return newBase64Reader(percentReader{body}), nil
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

// base64Reader decodes base64 as a stream. It accepts both alphabets and white space anywhere, and
// requires padding.
type base64Reader struct {
	text    base64Text
	decoder io.Reader
	any     bool
}

func newBase64Reader(src io.Reader) io.Reader {
	b := &base64Reader{text: base64Text{src: src}}
	b.decoder = base64.NewDecoder(base64.StdEncoding, &b.text)
	return b
}

func (b *base64Reader) Read(p []byte) (int, error) {
	n, err := b.decoder.Read(p)
	b.any = b.any || n > 0
	switch {
	case err == nil, errors.Is(err, io.EOF) && b.any:
		return n, err
	case b.text.err != nil:
		return n, b.text.err
	}
	return n, errNotBase64
}

// base64Text turns base64 text into the one form that the decoder accepts.
type base64Text struct {
	src     io.Reader
	padding int
	err     error // of src, other than io.EOF
}

func (t *base64Text) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	kept := 0
	for _, c := range p[:n] {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '-':
			c = '+'
		case '_':
			c = '/'
		case '=':
			t.padding++
		}
		if t.padding > 0 && (c != '=' || t.padding > 2) {
			t.err = errNotBase64
			return kept, t.err
		}
		p[kept] = c
		kept++
	}
	return kept, err
}

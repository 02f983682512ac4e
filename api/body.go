package api

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"sync"
)

// body is the multipart body of an upload: the text parts, the file, and the end. Its length is
// known in advance, and it is streamed.
type body struct {
	reader      io.Reader
	length      int64
	contentType string
	file        *content // nil if the source is an address
}

// wholeBody is the maximum size in bytes of a body that is read before sending: it then goes out
// in one write with the header, see WriteBufferSize in newTransport. Every connection has such
// buffers, and there may be 64 of them.
const wholeBody = 30 << 10

// newBody opens the source and builds the parts around it. The file is the last part, so that a
// service can refuse an upload by the parts before it. hashed hashes the file while it is sent.
func newBody(u *Upload, hashed bool) (*body, error) {
	parts, err := u.Parts()
	if err != nil {
		return nil, err
	}
	boundary := rand.Text() + rand.Text() // no file can contain it
	var head bytes.Buffer
	for _, p := range parts {
		fmt.Fprintf(&head, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", boundary, p.Name, p.Value)
	}
	tail := "\r\n--" + boundary + "--\r\n"
	b := &body{contentType: "multipart/form-data; boundary=" + boundary}

	fmt.Fprintf(&head, "--%s\r\n", boundary)
	if u.Source.URL != "" {
		fmt.Fprintf(&head, "Content-Disposition: form-data; name=\"file\"\r\n\r\n%s", u.Source.URL)
		b.reader = io.MultiReader(&head, strings.NewReader(tail))
		b.length = int64(head.Len() + len(tail))
		return b, nil
	}
	f, id, err := openSource(u.Source.Path)
	if err != nil {
		return nil, err
	}
	b.file = &content{file: f, identity: id, left: id.Size}
	if hashed {
		b.file.hash = new(xxh128)
	}
	// The service uses the fileName part; here the name only marks the part as a file.
	fmt.Fprintf(&head, "Content-Disposition: %s\r\nContent-Type: application/octet-stream\r\n\r\n", multipart.FileContentDisposition("file", SafeName(u.FileName)))
	b.length = int64(head.Len()) + b.file.left + int64(len(tail))
	b.reader = io.MultiReader(&head, b.file, strings.NewReader(tail))
	return b, nil
}

// counted counts the bytes that the transport reads and resets the watchdog. The transport may
// read for a moment after the upload has returned; after end, that does not count into the next
// attempt.
type counted struct {
	from     io.Reader
	progress *Progress
	watchdog *watchdog

	mu   sync.Mutex
	over bool
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return 0, errors.New("the upload is over")
	}
	if n > 0 {
		c.progress.add(n)
		c.watchdog.moved()
	}
	return n, err
}

// countSent records n bytes of a body that the transport does not read through counted.
func (c *counted) countSent(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.progress.add(int(n))
	}
}

func (c *counted) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

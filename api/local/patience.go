package local

import (
	"io"
	"net/http"
	"time"
)

// patience is how long a connection may be idle during a request. There is no limit while bytes move.
const patience = 60 * time.Second

// writePatience multiplies it for an answer: the system takes megabytes at once for a client that
// reads slowly.
const writePatience = 5

// patientBody extends the connection's read deadline with every read.
type patientBody struct {
	io.ReadCloser
	control  *http.ResponseController
	wait     time.Duration // patience
	read     bool          // some of it was read
	finished bool          // it was read to the end or an error
}

func (b *patientBody) Read(p []byte) (int, error) {
	b.control.SetReadDeadline(time.Now().Add(b.wait)) //nolint:errcheck // a recorder in a test has no connection
	n, err := b.ReadCloser.Read(p)
	b.read = b.read || n > 0
	if err != nil {
		b.finished = true
		// From here on the server watches the connection. A remaining deadline would cancel the
		// request.
		b.control.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	}
	return n, err
}

// patientWriter extends the connection's write deadline with every part of an answer. The last
// deadline also covers what the server has buffered when the handler returns.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	wait    time.Duration // for a part of the answer
	status  int           // 0 before WriteHeader
	size    int64         // body bytes written
}

// WriteHeader records the status.
func (w *patientWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// writePart is small enough for a slow client to read in time.
const writePart = 64 << 10

func (w *patientWriter) Write(p []byte) (written int, err error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	defer func() { w.size += int64(written) }()
	for {
		part := p[:min(len(p), writePart)]
		w.control.SetWriteDeadline(time.Now().Add(w.wait)) //nolint:errcheck // a recorder in a test has no connection
		n, err := w.ResponseWriter.Write(part)
		written, p = written+n, p[n:]
		if err != nil || len(p) == 0 {
			return written, err
		}
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

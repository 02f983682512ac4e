package local

import (
	"io"
	"net/http"
	"time"
)

// idleTimeout is how long a connection may be idle during a request. There is no limit while bytes
// move.
const idleTimeout = 60 * time.Second

// writeFactor multiplies it for a part of an answer: the system takes megabytes at once for a
// client that reads slowly.
const writeFactor = 5

// timedBody extends the connection's read deadline with every read.
type timedBody struct {
	io.ReadCloser
	control  *http.ResponseController
	timeout  time.Duration // idleTimeout
	read     bool          // some of it was read
	finished bool          // it was read to the end or an error
}

func (b *timedBody) Read(p []byte) (int, error) {
	b.control.SetReadDeadline(time.Now().Add(b.timeout)) //nolint:errcheck // a recorder in a test has no connection
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

// timedWriter extends the connection's write deadline with every part of an answer. The last
// deadline also covers what the server has buffered when the handler returns.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // for a part of the answer
	status  int           // 0 before WriteHeader
	size    int64         // body bytes written
}

// WriteHeader records the status.
func (w *timedWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *timedWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.control.SetWriteDeadline(time.Now().Add(w.timeout)) //nolint:errcheck // a recorder in a test has no connection
	n, err := w.ResponseWriter.Write(p)
	w.size += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

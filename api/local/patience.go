package local

import (
	"io"
	"net/http"
	"time"
)

// patience is how long a connection may stand still while a request arrives or an
// answer leaves. Both may take as long as they need while bytes move.
const patience = 60 * time.Second

// patientBody moves the connection's read deadline with every read.
type patientBody struct {
	io.ReadCloser
	control  *http.ResponseController
	wait     time.Duration // patience
	read     bool          // some of it
	finished bool          // all of it, or it broke off
}

func (b *patientBody) Read(p []byte) (int, error) {
	b.control.SetReadDeadline(time.Now().Add(b.wait)) //nolint:errcheck // a recorder in a test has no connection
	n, err := b.ReadCloser.Read(p)
	b.read = b.read || n > 0
	if err != nil {
		b.finished = true
		// From here on the server watches the connection for its end; a limit
		// that stayed would end the request while we work on it.
		b.control.SetReadDeadline(time.Time{}) //nolint:errcheck // as above
	}
	return n, err
}

// patientWriter moves the connection's write deadline with every part of an
// answer. What the server still has in its buffer when the handler returns has
// the last deadline.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	wait    time.Duration // patience
	status  int           // that was written; 0: none yet
	size    int64         // bytes of the body that were written
}

// WriteHeader notes the status.
func (w *patientWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// writePart is so small that a client which reads slowly takes one in time.
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

// Unwrap gives the writer of the connection to http.ResponseController.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package uitest

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/xpty"
)

type wire interface {
	// Read returns the program's output; Write sends its input.
	io.ReadWriteCloser
	// Hangup closes the program's side. Its output can still be read.
	Hangup()
	// Resize sets the size of the terminal.
	Resize(w, h int) error
}

// ptyWire is a pseudo-terminal; a process uses the slave.
type ptyWire struct {
	pty    *xpty.UnixPty
	hangup sync.Once
}

func openPty(w, h int) (*ptyWire, *os.File, error) {
	pty, err := xpty.NewUnixPty(w, h)
	if err != nil {
		return nil, nil, err
	}
	return &ptyWire{pty: pty}, pty.Slave(), nil
}

func (p *ptyWire) Read(b []byte) (int, error) { return p.pty.Read(b) }

func (p *ptyWire) Write(b []byte) (int, error) {
	// If the program stops reading, the buffer of the terminal fills up.
	_ = p.pty.Master().SetWriteDeadline(time.Now().Add(Deadline))
	return p.pty.Write(b)
}

func (p *ptyWire) Resize(w, h int) error { return p.pty.Resize(w, h) }

func (p *ptyWire) Hangup() {
	p.hangup.Do(func() { _ = p.pty.Slave().Close() })
}

func (p *ptyWire) Close() error {
	p.Hangup()
	return p.pty.Master().Close()
}

// pipes connect a program in this process. With a real terminal, Bubble Tea's reader can
// block forever when its program stops, and it races with closing the terminal. A read from
// a pipe always returns.
type pipes struct {
	in      *feed
	out     *io.PipeWriter
	termOut *io.PipeReader
}

func newPipes() *pipes {
	p := &pipes{in: newFeed()}
	p.termOut, p.out = io.Pipe()
	return p
}

func (p *pipes) Read(b []byte) (int, error)  { return p.termOut.Read(b) }
func (p *pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p *pipes) Resize(int, int) error       { return nil }

func (p *pipes) Hangup() {
	_ = p.in.Close()
	_ = p.out.Close()
}

func (p *pipes) Close() error {
	p.Hangup()
	return p.termOut.Close()
}

// feed is a pipe with an unlimited buffer, so that the terminal's replies never block on a
// program that waits for the terminal.
type feed struct {
	mu     sync.Mutex
	ready  *sync.Cond
	buf    []byte
	closed bool
}

func newFeed() *feed {
	f := &feed{}
	f.ready = sync.NewCond(&f.mu)
	return f
}

func (f *feed) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.buf) == 0 && !f.closed {
		f.ready.Wait()
	}
	if f.closed {
		return 0, io.EOF
	}
	n := copy(b, f.buf)
	f.buf = f.buf[n:]
	return n, nil
}

func (f *feed) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, io.ErrClosedPipe
	}
	f.buf = append(f.buf, b...)
	f.ready.Broadcast()
	return len(b), nil
}

// Close discards unread data.
func (f *feed) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.ready.Broadcast()
	return nil
}

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
	*xpty.UnixPty
	hangup sync.Once
}

func openPty(w, h int) (*ptyWire, *os.File, error) {
	pty, err := xpty.NewUnixPty(w, h)
	if err != nil {
		return nil, nil, err
	}
	return &ptyWire{UnixPty: pty}, pty.Slave(), nil
}

func (p *ptyWire) Write(b []byte) (int, error) {
	// If the program stops reading, the buffer of the terminal fills up.
	_ = p.Master().SetWriteDeadline(time.Now().Add(Deadline))
	return p.UnixPty.Write(b)
}

func (p *ptyWire) Hangup() {
	p.hangup.Do(func() { _ = p.Slave().Close() })
}

func (p *ptyWire) Close() error {
	p.Hangup()
	return p.Master().Close()
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
	ready  *sync.Cond // its lock guards the rest
	buf    []byte
	closed bool
}

func newFeed() *feed { return &feed{ready: sync.NewCond(new(sync.Mutex))} }

func (f *feed) Read(b []byte) (int, error) {
	f.ready.L.Lock()
	defer f.ready.L.Unlock()
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
	f.ready.L.Lock()
	defer f.ready.L.Unlock()
	if f.closed {
		return 0, io.ErrClosedPipe
	}
	f.buf = append(f.buf, b...)
	f.ready.Broadcast()
	return len(b), nil
}

// Close discards unread data.
func (f *feed) Close() error {
	f.ready.L.Lock()
	defer f.ready.L.Unlock()
	f.closed = true
	f.ready.Broadcast()
	return nil
}

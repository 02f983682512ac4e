package uitest

import (
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/xpty"
)

// ptyWire is a pseudo-terminal: the program has its slave.
type ptyWire struct {
	pty    *xpty.UnixPty
	hangup sync.Once
}

func (p *ptyWire) Read(b []byte) (int, error) { return p.pty.Read(b) }

func (p *ptyWire) Write(b []byte) (int, error) {
	// A program that reads no more fills the terminal's buffer.
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

// openPty opens a pseudo-terminal; nil where the machine has none.
func openPty(t testing.TB, w, h int) (*ptyWire, *os.File) {
	pty, err := xpty.NewUnixPty(w, h)
	if err != nil {
		t.Logf("no pseudo-terminal: %v", err)
		return nil, nil
	}
	return &ptyWire{pty: pty}, pty.Slave()
}

// openWire opens a pseudo-terminal, or pipes where the machine has none.
func openWire(t testing.TB, w, h int) (wire, io.Reader, io.Writer) {
	if p, slave := openPty(t, w, h); p != nil {
		return p, slave, slave
	}
	p := newPipes()
	return p, p.programIn, p.programOut
}

// pipes are a line without a terminal in between.
type pipes struct {
	programIn  *io.PipeReader
	programOut *io.PipeWriter
	termIn     *io.PipeWriter
	termOut    *io.PipeReader
}

func newPipes() *pipes {
	p := &pipes{}
	p.programIn, p.termIn = io.Pipe()
	p.termOut, p.programOut = io.Pipe()
	return p
}

func (p *pipes) Read(b []byte) (int, error)  { return p.termOut.Read(b) }
func (p *pipes) Write(b []byte) (int, error) { return p.termIn.Write(b) }
func (p *pipes) Resize(int, int) error       { return nil }

func (p *pipes) Hangup() {
	_ = p.programOut.Close()
	// Who still writes keys is told that nobody reads them.
	_ = p.programIn.Close()
}

func (p *pipes) Close() error {
	p.Hangup()
	_ = p.termOut.Close()
	return p.termIn.Close()
}

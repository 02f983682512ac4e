//go:build unix

package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// guardVariable tells the process of the screens that another one guards its
// terminal, and on which descriptors they speak.
const guardVariable = "MEDIADESK_GUARD"

// guardPatience is how long the screens may take to end after a signal, or when
// they have given the terminal back: longer than closing a session does. It is also
// how long a terminal may take to read that it is given back.
const guardPatience = 10 * time.Second

// lastWords is how long what a dead process wrote is waited for. Nothing is on
// its way then, but for a program that it started and that holds the pipe.
const lastWords = time.Second

// forwarded are the signals that the guard hands on to the screens, which end
// in good order, or stop.
var forwarded = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGTERM, syscall.SIGTSTP,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE,
}

// RunGuarded runs this program again in a process of its own and waits for it: that
// one shows the screens. After its end, also by a crash or a kill, the terminal is
// as it was. ran is false if this process is to show the screens itself: another
// one guards it already, or none could be started.
func RunGuarded(o GuardOptions) (code int, ran bool) {
	if os.Getenv(guardVariable) != "" {
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	before, err := term.GetState(o.Out.Fd())
	if err != nil {
		return 0, false
	}
	g := newGuardian(o, before)
	if err := g.start(self); err != nil {
		// Without a guard the screens still work.
		return 0, false
	}
	return g.wait(), true
}

// guardian is the process that waits.
type guardian struct {
	o      GuardOptions
	before *term.State
	child  *os.Process

	patience time.Duration // guardPatience

	lifeline *os.File // closed when this process ends: the other one ends then
	mark     *os.File // the other process says here what becomes of the terminal

	stopping chan struct{} // it stops by itself, with the terminal given back
	restored chan struct{} // closed: it gave the terminal back for good
	silent   chan struct{} // closed: it says nothing more

	errors  *os.File     // its standard error; nil where that is no terminal
	said    bytes.Buffer // what it wrote there
	reading sync.WaitGroup
}

func newGuardian(o GuardOptions, before *term.State) *guardian {
	return &guardian{
		o: o, before: before, patience: guardPatience,
		stopping: make(chan struct{}, 1), restored: make(chan struct{}), silent: make(chan struct{}),
	}
}

// maxSaid is how much of a crash is kept, in bytes.
const maxSaid = 1 << 20

// start starts the program again. It inherits the descriptors of this one, also
// that of the key.
func (g *guardian) start(self string) (err error) {
	theirLife, ourLife, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirLife.Close()
	ourMark, theirMark, err := os.Pipe()
	if err != nil {
		return errors.Join(err, ourLife.Close())
	}
	defer theirMark.Close()
	g.lifeline, g.mark = ourLife, ourMark

	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if term.IsTerminal(os.Stderr.Fd()) {
		// A crash must not write over the screen.
		ours, theirs, err := os.Pipe()
		if err != nil {
			return err
		}
		defer theirs.Close()
		files[2], g.errors = theirs, ours
		g.reading.Go(func() {
			// More than is kept is read and dropped, so that nobody waits.
			_, _ = io.Copy(&g.said, io.LimitReader(ours, maxSaid))
			_, _ = io.Copy(io.Discard, ours)
			_ = ours.Close()
		})
	}
	if fd := g.o.FD; fd > 2 && fd < 1024 {
		for len(files) <= fd {
			files = append(files, nil)
		}
		files[fd] = os.NewFile(uintptr(fd), "inherited")
	}
	files = append(files, theirLife, theirMark)
	env := append(append(os.Environ(), g.o.Env...), fmt.Sprintf("%s=%d", guardVariable, len(files)-2))
	g.child, err = os.StartProcess(self, os.Args, &os.ProcAttr{Files: files, Env: env})
	return err
}

// wait waits for the screens, hands signals on, and gives the exit code.
func (g *guardian) wait() int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, forwarded...)
	defer signal.Stop(signals)
	ended := make(chan unix.WaitStatus)
	go g.reap(ended)
	go g.listen()
	restored := g.restored
	var impatient <-chan time.Time
	for {
		select {
		case s := <-signals:
			_ = g.child.Signal(s)
			if s != syscall.SIGTSTP && impatient == nil {
				impatient = time.After(g.patience)
			}
		case <-restored:
			restored = nil
			if impatient == nil {
				impatient = time.After(g.patience)
			}
		case <-impatient:
			_ = g.child.Kill()
		case status := <-ended:
			return g.end(status, signals)
		}
	}
}

// reap follows the child. When it stops, the whole job stops with it, so that
// the shell has the terminal; when the job goes on, it does too.
func (g *guardian) reap(ended chan<- unix.WaitStatus) {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(g.child.Pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			ended <- 0
			return
		case status.Stopped():
			if !g.told() {
				g.restore() // stopped from outside: it could not do that itself
			}
			stopJob()
			_ = g.child.Signal(syscall.SIGCONT)
		default:
			ended <- status
			return
		}
	}
}

// stopJob stops the whole job, this process too, and returns when it goes on.
// That has to be waited for: a process with several threads runs on for a moment
// after the signal was sent, and would wake the other one at once.
func stopJob() {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	defer signal.Stop(goOn)
	if syscall.Kill(0, syscall.SIGSTOP) == nil {
		<-goOn
	}
}

// listen takes what the child says of the terminal, until it ends.
func (g *guardian) listen() {
	defer close(g.silent)
	buf := make([]byte, 16)
	given := false
	for {
		n, err := g.mark.Read(buf)
		if bytes.IndexByte(buf[:n], markStopping) >= 0 {
			select {
			case g.stopping <- struct{}{}:
			default:
			}
		}
		if !given && bytes.IndexByte(buf[:n], markRestored) >= 0 {
			given = true
			close(g.restored)
		}
		if err != nil {
			return
		}
	}
}

// told reports whether the child has just said that it stops by itself.
func (g *guardian) told() bool {
	select {
	case <-g.stopping:
		return true
	case <-time.After(20 * time.Millisecond):
		return false
	}
}

// What the screens write to their guard.
const (
	markStopping = 's'
	markRestored = 'r'
)

// end gives the terminal back where the child did not, and says what it had to
// say.
func (g *guardian) end(status unix.WaitStatus, signals <-chan os.Signal) int {
	limit := time.Now().Add(lastWords)
	_ = g.mark.SetReadDeadline(limit)
	if g.errors != nil {
		_ = g.errors.SetReadDeadline(limit)
	}
	g.reading.Wait()
	<-g.silent
	select {
	case <-g.restored:
	default:
		g.restoreOrLeave(signals)
	}
	said := g.said.Bytes()
	code := status.ExitStatus()
	switch {
	case status.Signaled():
		code = 128 + int(status.Signal())
		fmt.Fprintf(g.o.Err, "mediadesk was ended from outside (%s). What was under way waits in the journal.\n", status.Signal())
	case code != 0 && bytes.Contains(said, []byte("goroutine ")):
		said = []byte(g.o.Crashed(string(said)))
	}
	_, _ = g.o.Err.Write(said)
	return code
}

// restore brings the terminal back from whatever state the screens left it in.
func (g *guardian) restore() { restoreTerminal(g.o.Out, g.before) }

// restoreOrLeave does so too, but leaves a terminal alone that takes nothing: at
// another signal, or when patience ends.
func (g *guardian) restoreOrLeave(signals <-chan os.Signal) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.restore()
	}()
	select {
	case <-done:
	case <-signals:
	case <-time.After(g.patience):
	}
}

func restoreTerminal(tty *os.File, before *term.State) {
	// Writing to a terminal whose job is in the background would stop this
	// process.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_, _ = tty.WriteString(resetSequence)
	_ = term.Restore(tty.Fd(), before)
	dropInput(tty)
}

// resetSequence ends whatever was being written, and takes back every mode
// that the screens ask for.
const resetSequence = "\x18\x1b\\" + // a sequence that was cut off
	ansi.ResetModeSynchronizedOutput +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1016l" + // mouse
	"\x1b[?1004l\x1b[?2004l\x1b[?2027l\x1b[?2031l\x1b[?2048l" + // focus, pastes, widths, reports
	"\x1b[<u\x1b[>4;0m\x1b[?1l\x1b>" + // keys
	"\x1b[r\x1b[?7h\x1b[m\x1b[0 q\x1b[?25h" + // scrolling, wrapping, colours, cursor
	ansi.ResetForegroundColor + ansi.ResetBackgroundColor +
	"\x1b[?1049l\x1b[?25h"

// guardedPatience is how long giving the terminal back may take when the guard
// is gone.
const guardedPatience = 100 * time.Millisecond

// Guarded is the screens' end of the guard. A nil one is of a process that
// nobody guards.
type Guarded struct{ life, mark *os.File }

// JoinGuard connects the screens to their guard; nil if there is none. If the guard
// is killed, the terminal is given back and this process ends in the same way.
func JoinGuard() *Guarded {
	fd, err := strconv.Atoi(os.Getenv(guardVariable))
	if err != nil || fd < 3 {
		return nil
	}
	// Programs that are started from here are not guarded.
	_ = os.Unsetenv(guardVariable)
	syscall.CloseOnExec(fd)
	syscall.CloseOnExec(fd + 1)
	g := &Guarded{os.NewFile(uintptr(fd), "guard"), os.NewFile(uintptr(fd+1), "mark")}
	before, err := term.GetState(os.Stdout.Fd())
	if err != nil {
		return g
	}
	go func() {
		// Nothing is ever written: this returns when the other end is closed.
		if _, err := g.life.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			end := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
			// A terminal that takes nothing must not keep this process.
			time.AfterFunc(guardedPatience, end)
			restoreTerminal(os.Stdout, before)
			end()
		}
	}()
	return g
}

// Restored tells the guard that the terminal was given back.
func (g *Guarded) Restored() {
	if g != nil {
		_, _ = g.mark.Write([]byte{markRestored})
	}
}

// Stopping gives what tells the guard that this process stops by itself, with
// the terminal given back; nil where nobody guards it.
func (g *Guarded) Stopping() func() {
	if g == nil {
		return nil
	}
	return func() { _, _ = g.mark.Write([]byte{markStopping}) }
}

// endingSignals end the screens in good order.
var endingSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT}

// signalCode is the exit code of a program that a signal ended.
func signalCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

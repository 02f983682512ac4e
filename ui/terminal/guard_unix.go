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

// guardVariable tells the child process that it has a guard, and on which descriptors
// they communicate.
const guardVariable = "MEDIADESK_GUARD"

// guardPatience is the time limit for the screens to end after a signal or after
// restoring the terminal, longer than a session needs to close. It is also the limit for
// restoring the terminal.
const guardPatience = 10 * time.Second

// lastWords is how long to wait for the output of a dead process. It matters only if
// another program, started by that process, still holds the pipe.
const lastWords = time.Second

// forwarded are the signals that the guard forwards to the screens.
var forwarded = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGTERM, syscall.SIGTSTP,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE,
}

// RunGuarded runs this program again as a child process, which shows the screens, and
// waits for it. When the child ends, also by a crash or a kill, it restores the terminal.
// ran is false if this process must show the screens itself: it is the child, or no
// child could be started.
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
		// The screens also work without a guard.
		return 0, false
	}
	return g.wait(), true
}

// guardian is the parent process.
type guardian struct {
	o      GuardOptions
	before *term.State
	child  *os.Process

	patience time.Duration // guardPatience

	lifeline *os.File // closed when this process ends: the child then ends, too
	mark     *os.File // the child reports the state of the terminal here

	stopping chan struct{} // the child stops by itself, with the terminal restored
	restored chan struct{} // closed when the child has restored the terminal for good
	silent   chan struct{} // closed when the child closed its end

	errors  *os.File     // its standard error, or nil if that is not a terminal
	said    bytes.Buffer // its output there
	reading sync.WaitGroup
}

func newGuardian(o GuardOptions, before *term.State) *guardian {
	return &guardian{
		o: o, before: before, patience: guardPatience,
		stopping: make(chan struct{}, 1), restored: make(chan struct{}), silent: make(chan struct{}),
	}
}

// maxSaid is the maximum size of a saved crash report, in bytes.
const maxSaid = 1 << 20

// start starts the child. It inherits the descriptors of this process, including that of
// the key.
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
		// Catch the output of a crash, which would overwrite the screen.
		ours, theirs, err := os.Pipe()
		if err != nil {
			return err
		}
		defer theirs.Close()
		files[2], g.errors = theirs, ours
		g.reading.Go(func() {
			// Read and drop the rest, so that the writer does not block.
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

// wait waits for the child, forwards signals, and returns the exit code.
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

// reap waits for state changes of the child. When the child stops or continues, so does
// the whole job, so that the shell gets the terminal.
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
				g.restore() // stopped from outside: the child could not restore the terminal itself
			}
			stopJob()
			_ = g.child.Signal(syscall.SIGCONT)
		default:
			ended <- status
			return
		}
	}
}

// stopJob stops the whole job, including this process, and returns when it continues.
// It must wait for that: a process with several threads runs for a moment after the
// signal was sent, and would wake the child at once.
func stopJob() {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	defer signal.Stop(goOn)
	if syscall.Kill(0, syscall.SIGSTOP) == nil {
		<-goOn
	}
}

// listen reads the child's reports on the terminal until the child ends.
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

// told reports whether the child has just announced that it stops by itself.
func (g *guardian) told() bool {
	select {
	case <-g.stopping:
		return true
	case <-time.After(20 * time.Millisecond):
		return false
	}
}

// The messages from the screens to their guard.
const (
	markStopping = 's'
	markRestored = 'r'
)

// end restores the terminal if the child did not, and prints the child's error output.
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

// restore restores the terminal from any state.
func (g *guardian) restore() { restoreTerminal(g.o.Out, g.before) }

// restoreOrLeave calls restore, but gives up on a blocked terminal at another signal or
// after the time limit.
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
	// Writing to the terminal from a background job would stop this process.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_, _ = tty.WriteString(resetSequence)
	_ = term.Restore(tty.Fd(), before)
	dropInput(tty)
}

// resetSequence ends any incomplete sequence and resets every mode that the screens set.
const resetSequence = "\x18\x1b\\" + // an incomplete sequence
	ansi.ResetModeSynchronizedOutput +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1016l" + // mouse
	"\x1b[?1004l\x1b[?2004l\x1b[?2027l\x1b[?2031l\x1b[?2048l" + // focus, pastes, widths, reports
	"\x1b[<u\x1b[>4;0m\x1b[?1l\x1b>" + // keys
	"\x1b[r\x1b[?7h\x1b[m\x1b[0 q\x1b[?25h" + // scrolling, wrapping, colors, cursor
	ansi.ResetForegroundColor + ansi.ResetBackgroundColor +
	"\x1b[?1049l\x1b[?25h"

// guardedPatience is the time limit for restoring the terminal when the guard is gone.
const guardedPatience = 100 * time.Millisecond

// Guarded is the connection of the screens to their guard. It is nil without a guard.
type Guarded struct{ life, mark *os.File }

// JoinGuard connects the screens to their guard, and returns nil without one. If the
// guard is killed, it restores the terminal and kills this process, too.
func JoinGuard() *Guarded {
	fd, err := strconv.Atoi(os.Getenv(guardVariable))
	if err != nil || fd < 3 {
		return nil
	}
	// Child processes have no guard.
	_ = os.Unsetenv(guardVariable)
	syscall.CloseOnExec(fd)
	syscall.CloseOnExec(fd + 1)
	g := &Guarded{os.NewFile(uintptr(fd), "guard"), os.NewFile(uintptr(fd+1), "mark")}
	before, err := term.GetState(os.Stdout.Fd())
	if err != nil {
		return g
	}
	go func() {
		// The guard writes nothing: Read returns when the other end is closed.
		if _, err := g.life.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			end := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
			// A blocked terminal must not keep this process alive.
			time.AfterFunc(guardedPatience, end)
			restoreTerminal(os.Stdout, before)
			end()
		}
	}()
	return g
}

// Restored tells the guard that the terminal was restored.
func (g *Guarded) Restored() {
	if g != nil {
		_, _ = g.mark.Write([]byte{markRestored})
	}
}

// Stopping returns a function that tells the guard that this process stops by itself,
// with the terminal restored; nil without a guard.
func (g *Guarded) Stopping() func() {
	if g == nil {
		return nil
	}
	return func() { _, _ = g.mark.Write([]byte{markStopping}) }
}

// endingSignals are the signals that end the screens in an orderly way.
var endingSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT}

// signalCode returns the exit code for a program that a signal ended.
func signalCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

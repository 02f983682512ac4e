//go:build unix

package terminal

import (
	"io"
	"os"
	ossignal "os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime is the time within which the end of one stop may be reported twice.
const stopTime = 500 * time.Millisecond

// Signals watches for the signals that stop and continue the program from outside. In
// raw mode, the terminal's own, such as ctrl+z, arrive as keys instead.
type Signals struct {
	came  chan os.Signal
	ended atomic.Int64 // end of the last stop by Suspend, in nanoseconds
	done  chan struct{}
}

// Watch calls stop when the program is told to stop, and resumed after a stop that
// Suspend did not cause, until Close.
func (s *Signals) Watch(stop, resumed func()) {
	s.came, s.done = make(chan os.Signal, 4), make(chan struct{})
	ossignal.Notify(s.came, syscall.SIGTSTP, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-s.done:
				return
			case came := <-s.came:
				if came == syscall.SIGTSTP {
					stop()
					continue
				}
			}
			// Suspend restores the screen by itself, and records that at the same time as this
			// signal arrives.
			select {
			case <-s.done:
				return
			case <-time.After(stopTime / 5):
			}
			if time.Since(time.Unix(0, s.ended.Load())) > stopTime {
				resumed()
			}
		}
	}()
}

// Close stops watching.
func (s *Signals) Close() {
	ossignal.Stop(s.came)
	close(s.done)
}

// NoSuspend says why the program cannot be suspended; empty if it can.
func NoSuspend() string {
	if sid, err := unix.Getsid(0); err != nil || sid == unix.Getpgrp() {
		// A shell with job control puts each job in its own process group.
		return "There is no shell to go back to."
	}
	return ""
}

// Suspend stops the program until the shell continues it. It is a tea.ExecCommand, so
// that Bubble Tea releases the terminal in the meantime.
type Suspend struct {
	Signals  *Signals // nil if not watched
	Stopping func()   // tells the guard, which stops the rest of the job; nil without a guard
}

// SetStdin does nothing.
func (s Suspend) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (s Suspend) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (s Suspend) SetStderr(io.Writer) {}

// Run stops this process and returns when it continues.
func (s Suspend) Run() error {
	goOn := make(chan os.Signal, 1)
	ossignal.Notify(goOn, syscall.SIGCONT)
	defer ossignal.Stop(goOn)
	pid := 0 // the whole job
	if s.Stopping != nil {
		s.Stopping()
		pid = os.Getpid()
	}
	// Not SIGTSTP: it cannot stop a Go program that watches for it.
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	<-goOn
	if s.Signals != nil {
		s.Signals.ended.Store(time.Now().UnixNano())
	}
	return nil
}

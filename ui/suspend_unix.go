//go:build unix

package ui

import (
	"io"
	"os"
	ossignal "os/signal"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// stopTime is how long the end of a stop may be told twice.
const stopTime = 500 * time.Millisecond

// Signals are those that stop and continue the program from outside: a
// terminal's own are keys while it is in raw mode.
type Signals struct {
	came  chan os.Signal
	ended atomic.Int64 // when the last stop of our own ended, in nanoseconds
	done  chan struct{}
}

// WatchSignals hands these signals to a program until Close.
func (s *Signals) WatchSignals(p *tea.Program) {
	s.came, s.done = make(chan os.Signal, 4), make(chan struct{})
	ossignal.Notify(s.came, syscall.SIGTSTP, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-s.done:
				return
			case came := <-s.came:
				if came == syscall.SIGTSTP {
					p.Send(stopAsked{})
					continue
				}
			}
			// A stop of our own takes the terminal back by itself; its end is
			// told at the same time as this signal.
			select {
			case <-s.done:
				return
			case <-time.After(stopTime / 5):
			}
			if time.Since(time.Unix(0, s.ended.Load())) > stopTime {
				p.Send(goneOn{})
			}
		}
	}()
}

// Close ends the watching.
func (s *Signals) Close() {
	ossignal.Stop(s.came)
	close(s.done)
}

// suspend gives the terminal back and stops the program until the shell lets it
// go on. Where there is no shell to go back to, it says so and goes on.
func (m *Model) suspend() tea.Cmd {
	if sid, err := unix.Getsid(0); err != nil || sid == unix.Getpgrp() {
		// A shell with job control gives each job a group of its own.
		return page.Send(page.Toast{Level: page.Info, Text: "There is no shell to go back to."})
	}
	return kit.Exec(&stop{m.o.Signals, m.o.Stopping}, func(error) tea.Msg { return nil })
}

// stop is the time between two parts of a program's life, as Bubble Tea knows
// it: a command that runs while the terminal is given back.
type stop struct {
	signals *Signals // nil: none are watched
	guarded func()   // tells who stops the rest of the job; nil: nobody does
}

func (s *stop) SetStdin(io.Reader)  {}
func (s *stop) SetStdout(io.Writer) {}
func (s *stop) SetStderr(io.Writer) {}

// Run stops this process and returns when it goes on.
func (s *stop) Run() error {
	goOn := make(chan os.Signal, 1)
	ossignal.Notify(goOn, syscall.SIGCONT)
	defer ossignal.Stop(goOn)
	pid := 0 // the whole job
	if s.guarded != nil {
		s.guarded()
		pid = os.Getpid()
	}
	// Not SIGTSTP: a Go program that watches for it cannot be stopped by it.
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	<-goOn
	if s.signals != nil {
		s.signals.ended.Store(time.Now().UnixNano())
	}
	return nil
}

// again takes the terminal anew, after something else had it.
type again struct{}

func (again) SetStdin(io.Reader)  {}
func (again) SetStdout(io.Writer) {}
func (again) SetStderr(io.Writer) {}
func (again) Run() error          { return nil }

// resumed draws everything anew after a stop that came from outside.
func (m *Model) resumed() tea.Cmd { return kit.Exec(again{}, func(error) tea.Msg { return nil }) }

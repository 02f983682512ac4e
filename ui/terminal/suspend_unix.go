//go:build unix

package terminal

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// NoSuspend says why the program cannot be suspended; empty if it can.
func NoSuspend() string {
	if sid, err := unix.Getsid(0); err != nil || sid == unix.Getpgrp() {
		// A shell with job control puts each job in its own process group.
		return "There is no shell to go back to."
	}
	return ""
}

// Suspend stops the process group of the program, and returns when its shell continues it.
func Suspend() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return err
	}
	<-continued
	return nil
}

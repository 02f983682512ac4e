//go:build unix

package terminal

import "golang.org/x/sys/unix"

// NoSuspend says why the program cannot be suspended; empty if it can.
func NoSuspend() string {
	if sid, err := unix.Getsid(0); err != nil || sid == unix.Getpgrp() {
		// A shell with job control puts each job in its own process group.
		return "There is no shell to go back to."
	}
	return ""
}

package config

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// HardenProcess keeps other programs of the same user from reading the key in this process: it
// blocks debuggers, /proc/self/environ and access to the memory, and disables core files. It does
// nothing on systems other than Linux.
//
// Removing a variable with os.Unsetenv does not clear /proc/PID/environ.
func HardenProcess() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("other programs cannot be kept from looking into this one: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("core files cannot be switched off: %w", err)
	}
	return nil
}

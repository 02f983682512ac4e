package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput forgets what was typed, and what the terminal answered, but was
// not read: it was not meant for the shell.
func dropInput(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput discards unread input and terminal replies, which are not meant for the shell.
func dropInput(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

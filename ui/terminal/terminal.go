// Package terminal knows what the terminal around the screens supports, and handles the
// signals that end the program.
package terminal

import (
	"os/exec"
	"runtime"
	"time"
)

// SignalError reports that a signal ended the program or a prompt. It needs no message.
type SignalError struct {
	// Code is the shell's exit code for the signal, such as 130.
	Code int
}

func (e *SignalError) Error() string { return "ended by a signal" }

// browserTime is how long to wait for the system's tool to fail. Some tools run as long
// as the browser does.
const browserTime = 2 * time.Second

// OpenAddress opens an address in the browser of this computer. It returns the error of
// the system's tool.
func OpenAddress(address string) error {
	args := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(browserTime):
		return nil
	}
}

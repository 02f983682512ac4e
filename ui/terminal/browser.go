package terminal

import (
	"os/exec"
	"runtime"
	"time"
)

// browserTime is how long the tool that opens an address may take to fail. Some tools
// run as long as the browser does.
const browserTime = 2 * time.Second

// OpenAddress opens an address in the browser of this computer. The error is that of
// the system's tool for it.
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

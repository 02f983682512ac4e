//go:build !unix

package uitest

import (
	"os"
	"os/exec"
)

var terminate = os.Kill

// newSession does nothing, because binaries are only started on pseudo-terminals.
func newSession(*exec.Cmd) {}

//go:build !unix

package uitest

import (
	"os"
	"os/exec"
)

var terminate = os.Kill

// ownSession does nothing, because binaries are only started on pseudo-terminals.
func ownSession(*exec.Cmd) {}

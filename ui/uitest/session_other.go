//go:build !unix

package uitest

import (
	"os"
	"os/exec"
)

// terminate ends a process.
var terminate = os.Kill

// ownSession does nothing: without pseudo-terminals no binary is started.
func ownSession(*exec.Cmd) {}

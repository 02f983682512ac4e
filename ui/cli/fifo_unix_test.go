//go:build unix

package cli_test

import (
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// makeFIFO makes a pipe: fifo NAME
func makeFIFO(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

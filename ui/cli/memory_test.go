package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestSpending: memory is given back when it was used and nobody uses more, and not
// again and again.
func TestSpending(t *testing.T) {
	debug.FreeOSMemory()
	var s spending
	s.gaveBack()
	if s.look() {
		t.Error("there is nothing to give back")
	}
	used := make([]byte, 4*(worthBytes+quietBytes))
	runtime.KeepAlive(used)
	if s.look() {
		t.Error("it is given back while it is used")
	}
	if !s.look() {
		t.Error("it is not given back")
	}
	debug.FreeOSMemory()
	s.gaveBack()
	if s.look() {
		t.Error("it is given back twice")
	}
}

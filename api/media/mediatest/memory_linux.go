//go:build !race

package mediatest

import (
	"syscall"
	"testing"
)

// Peak fails the test if the process ever used more than 1 GB of memory.
func Peak(t *testing.T, after string) {
	t.Helper()
	var use syscall.Rusage
	Must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	if mb := use.Maxrss >> 10; mb > 1000 {
		t.Fatalf("after %s: %d MB", after, mb)
	}
}

//go:build !race

package media

import (
	"syscall"
	"testing"
)

// peak fails the test if the process ever used more than 1 GB of memory.
func peak(t *testing.T, after string) {
	t.Helper()
	var use syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	if mb := use.Maxrss >> 10; mb > 1000 {
		t.Fatalf("after %s: %d MB", after, mb)
	}
}

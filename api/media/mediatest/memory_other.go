//go:build !linux || race

package mediatest

import "testing"

// Peak does nothing: it measures memory only on Linux without the race detector.
func Peak(*testing.T, string) {}

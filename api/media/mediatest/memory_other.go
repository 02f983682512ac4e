//go:build !linux || race

package mediatest

import "testing"

// Peak is measured on Linux, without the memory of the race detector.
func Peak(*testing.T, string) {}

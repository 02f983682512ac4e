//go:build race

package ui

// racing reports whether the race detector is on, which makes everything slow.
const racing = true

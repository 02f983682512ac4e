//go:build !race

package mediatest

// Racing reports whether the race detector is on.
const Racing = false

//go:build !race

package mediatest

// Racing tells that the race detector is on.
const Racing = false

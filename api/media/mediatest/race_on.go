//go:build race

package mediatest

// Racing tells that the race detector is on: large pictures take ten times as
// long then, and memory is not what it is without it.
const Racing = true

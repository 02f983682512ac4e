//go:build !race

package upload

// slowdown is how much slower this build may be than the program on
// a machine that does nothing else.
const slowdown = 3

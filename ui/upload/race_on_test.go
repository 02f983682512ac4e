//go:build race

package upload

// slowdown is how much slower this build may be than the program.
const slowdown = 15

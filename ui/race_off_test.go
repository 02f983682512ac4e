//go:build !race

package ui

// raceDetector reports whether the race detector is on, which makes everything slow.
const raceDetector = false

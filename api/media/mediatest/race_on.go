//go:build race

package mediatest

// Racing reports whether the race detector is on. With it large pictures take ten times as
// long, and measured memory is meaningless.
const Racing = true

//go:build race

package ui

// racing tells that the race detector makes everything slow.
const racing = true

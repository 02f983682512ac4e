//go:build !race

package upload

// racing tells that the race detector makes everything slow.
const racing = false

//go:build !linux && !darwin

package api

// sendQueue is not known on this system.
func sendQueue(int) int { return 0 }

//go:build !linux

package config

// HardenProcess does nothing on this system. On Linux it keeps other programs of the same user from
// reading the key out of this process.
func HardenProcess() error { return nil }

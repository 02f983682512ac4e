//go:build !linux

package mediatest

// TempInMemory does nothing: only Linux has a known folder in memory.
func TempInMemory() {}

//go:build !unix

package config

// syncDir does nothing: folders cannot be synced here, and a rename lasts by itself.
func syncDir(string) error { return nil }

//go:build !unix

package picker

// isNotDir tells the error of a path that goes through a file, which these
// systems report as not existing.
func isNotDir(error) bool { return false }

//go:build unix && !linux

package media

// limitNote is empty: there is no limit.
const limitNote = ""

// limit does nothing where one process cannot limit another.
func limit(int) {}

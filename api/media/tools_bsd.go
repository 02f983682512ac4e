//go:build unix && !linux

package media

// limitNote is empty because limit does nothing.
const limitNote = ""

// limit does nothing: one process cannot limit another on these systems.
func limit(int) {}

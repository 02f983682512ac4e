//go:build unix && !linux

package media

// limitsInWords is empty: there is no limit.
const limitsInWords = ""

// limit does nothing where one process cannot limit another.
func limit(int) {}

package picker

import (
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"strings"
)

// kind is what an entry of a folder is, links followed.
type kind uint8

const (
	kindFile kind = iota
	kindFolder
	kindPipe
	kindSocket
	kindDevice
	kindOther
	kindBroken // a link that leads nowhere
	kindCircle // a link that leads back to itself
	kindLink   // a link whose target is not known yet
)

// entry is one name in a folder. It does not change.
type entry struct {
	name string // the bytes of the name as the disk has them
	kind kind
	link bool
}

func (e entry) hidden() bool { return strings.HasPrefix(e.name, ".") }

// kindOf says what a file mode is.
func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsDir():
		return kindFolder
	case mode.IsRegular():
		return kindFile
	case mode&fs.ModeNamedPipe != 0:
		return kindPipe
	case mode&fs.ModeSocket != 0:
		return kindSocket
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return kindDevice
	}
	return kindOther
}

// label is the kind in one word, for the list. For a file it comes from the name; the
// content is not read.
func (e entry) label() string {
	switch e.kind {
	case kindFolder:
		return "folder"
	case kindPipe:
		return "pipe"
	case kindSocket:
		return "socket"
	case kindDevice:
		return "device"
	case kindBroken:
		return "dead link"
	case kindCircle:
		return "link loop"
	case kindLink:
		return "link"
	case kindOther:
		return "special"
	}
	ext := extension(e.name)
	switch ext {
	case "":
		return "file"
	case "jpg", "jpeg", "jpe":
		return "JPEG"
	case "tif", "tiff":
		return "TIFF"
	case "webp":
		return "WebP"
	}
	if len(ext) > 5 {
		return "file"
	}
	return strings.ToUpper(ext)
}

// extension is the lower-case end of a name after its last dot, empty for
// names that have none.
func extension(name string) string {
	ext := filepath.Ext(strings.TrimLeft(name, "."))
	return strings.ToLower(strings.TrimPrefix(ext, "."))
}

// sortKey makes a key of a name whose bytes compare as a reader sorts names:
// upper and lower case alike, numbers by their value (2 before 10). It is made
// once, because folding inside every comparison costs five times as much.
func sortKey(name string) string { return string(appendSortKey(nil, name)) }

// appendSortKey writes the key of a name behind b.
func appendSortKey(b []byte, name string) []byte {
	if !plain(name) {
		name = strings.ToLower(name)
	}
	for i := 0; i < len(name); {
		if !isDigit(name[i]) {
			b = append(b, fold(name[i]))
			i++
			continue
		}
		end := i
		for end < len(name) && isDigit(name[end]) {
			end++
		}
		digits := strings.TrimLeft(name[i:end], "0")
		// The number of digits goes first: of two numbers the one with more
		// digits is greater.
		b = append(b, '0', byte(min(len(digits), 255)))
		b = append(b, digits...)
		i = end
	}
	return b
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// prefix is the beginning of a key as a number that compares as the key does.
func prefix(key []byte) uint64 {
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// plain reports whether s is ASCII only.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// fold returns the lower case of an ASCII letter, any other byte unchanged.
func fold(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

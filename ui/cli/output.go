package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// closeTime limits the wait for closing.
const closeTime = 5 * time.Second

// report prints an error with advice.
func report(w io.Writer, err error) {
	var exit *exitError
	var signal *terminal.SignalError
	if errors.As(err, &exit) && exit.err == nil || errors.As(err, &signal) {
		return
	}
	fmt.Fprintln(w, "mediadesk: "+safeLines(err.Error()))
	if hint := api.Hint(err); hint != "" {
		fmt.Fprintln(w, safeLines(hint))
	}
}

// sentences joins a message with advice, which may be empty.
func sentences(what, help string) string {
	if help == "" {
		return what
	}
	return text.Stop(what) + " " + help
}

// safeLines makes text safe for the terminal and keeps our line breaks.
func safeLines(words string) string {
	lines := strings.Split(words, "\n")
	for i, line := range lines {
		lines[i] = text.Safe(line)
	}
	return strings.Join(lines, "\n")
}

// printJSON writes an object on one line. Control, direction and invisible characters are written
// as \u escapes.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(plainJSON(b.Bytes()))
	return err
}

// maxJSONMarks is the number of combining marks per letter that are not escaped.
const maxJSONMarks = 4

// plainJSON escapes what text.Safe would change. Non-ASCII characters occur only in strings.
func plainJSON(words []byte) []byte {
	if !bytes.ContainsFunc(words, func(r rune) bool { return r >= 0x7f }) {
		return words
	}
	var b bytes.Buffer
	marks := 0 // marks of the current letter
	for len(words) > 0 {
		r, n := utf8.DecodeRune(words)
		mark := unicode.Is(unicode.M, r)
		if marks++; !mark {
			marks = 0
		}
		switch {
		case r < 0x7f, mark && marks <= maxJSONMarks, !mark && r != utf8.RuneError && text.Safe(string(r)) == string(r):
			b.Write(words[:n])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		words = words[n:]
	}
	return b.Bytes()
}

// record is the JSON of a file, as answered by the service if possible; null if nil.
type record struct{ *api.File }

// MarshalJSON implements json.Marshaler.
func (r record) MarshalJSON() ([]byte, error) {
	if r.File != nil && r.Raw != nil {
		return r.Raw, nil
	}
	return json.Marshal(r.File)
}

// result prints v with --json, else line.
func (p *Program) result(f *flags, v any, line string) error {
	if f.json {
		return printJSON(p.Stdout, v)
	}
	_, err := fmt.Fprintln(p.Stdout, text.Safe(line))
	return err
}

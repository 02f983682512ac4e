package cli

import (
	"bytes"
	"context"
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
	fmt.Fprintln(w, "mediadesk: "+oneLine(err))
	if hint := api.Hint(err); hint != "" {
		fmt.Fprintln(w, text.Safe(hint))
	}
}

// oneLine returns the message of an error as a safe line. Joined errors follow each other: any other
// line break is from outside.
func oneLine(err error) string {
	words := err.Error()
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		joined, ok := inner.(interface{ Unwrap() []error })
		if !ok {
			continue
		}
		var raw, safe []string
		for _, one := range joined.Unwrap() {
			raw, safe = append(raw, one.Error()), append(safe, oneLine(one))
		}
		words = strings.Replace(words, strings.Join(raw, "\n"), strings.Join(safe, "; "), 1)
		break
	}
	return text.Safe(words)
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
func (p *Program) result(v any, line string) error {
	if p.json {
		return printJSON(p.Stdout, v)
	}
	_, err := fmt.Fprintln(p.Stdout, text.Safe(line))
	return err
}

// dryReads shows the requests that would read the files.
func (p *Program) dryReads(ctx context.Context, names []string, request func(c *api.Client, id string) (api.Request, error)) error {
	s, err := p.openOrDescribe(ctx, hasPath(names))
	if err != nil {
		return err
	}
	return p.each(ctx, names, func(name string) error {
		id, err := fileID(ctx, s, name)
		if err != nil {
			return err
		}
		return p.showRequest(request(s.Client, id))
	})
}

// showRequest shows a request and the equivalent curl command, or returns the error of the Describe
// function that it comes from.
func (p *Program) showRequest(r api.Request, err error) error {
	switch {
	case err != nil:
		return err
	case p.json:
		return printJSON(p.Stdout, r)
	}
	return printRequest(p.Stdout, r)
}

func printRequest(w io.Writer, r api.Request) error {
	fmt.Fprintf(w, "%s %s\n", r.Method, text.Safe(r.Address))
	for _, part := range r.Parts {
		fmt.Fprintf(w, "  %s = %s\n", part.Name, text.Safe(part.Value))
	}
	if r.File != "" {
		fmt.Fprintf(w, "  file = the bytes of %s\n", text.Safe(r.File))
	}
	if r.Body != "" {
		fmt.Fprintf(w, "  %s\n", text.Safe(r.Body))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", safeLines(r.Curl()))
	return err
}

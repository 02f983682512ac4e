package api

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Request is a request of the client as it would go out, for looking at. It never
// holds the key.
type Request struct {
	Method  string `json:"method"`
	Address string `json:"address"`
	Parts   []Part `json:"parts,omitempty"` // text parts of an upload
	File    string `json:"file,omitempty"`  // path whose bytes are the file part
	Body    string `json:"body,omitempty"`  // JSON body of an update
}

// DescribeUpload returns the request that Upload would send.
func (c *Client) DescribeUpload(u *Upload) (Request, error) {
	parts, err := u.Parts()
	if err != nil {
		return Request{}, err
	}
	r := Request{Method: http.MethodPost, Address: c.UploadAddress(), Parts: parts}
	switch {
	case u.Source.URL != "":
		r.Parts = append(r.Parts, Part{"file", u.Source.URL})
	case u.Source.Path != "":
		r.File = u.Source.Path
	default:
		r.File = u.Source.Name() // as it is called once it was fetched
	}
	return r, nil
}

// KeyVariable is the environment variable that a curl line reads the key from.
const KeyVariable = "MEDIADESK_PRIVATE_KEY"

// Curl writes the request as a command line for a POSIX shell. It runs as it
// is where the key stands in the environment variable KeyVariable; the key
// itself is never in it.
func (r Request) Curl() string {
	words := []string{"curl", "-sS", "-X", r.Method, "-u", `"$` + KeyVariable + `:"`}
	for _, p := range r.Parts {
		// --form would take a value that begins with @ or < for a file.
		words = append(words, "--form-string", ShellWord(p.Name+"="+p.Value))
	}
	if r.File != "" {
		name := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(r.File)
		if name == "-" { // curl would read its standard input
			name = "./-"
		}
		words = append(words, "-F", ShellWord(`file=@"`+name+`"`))
	}
	if r.Body != "" {
		words = append(words, "-H", "'Content-Type: application/json'", "--data-raw", ShellWord(r.Body))
	}
	return strings.Join(append(words, ShellWord(r.Address)), " ")
}

// ShellWord quotes text for a POSIX shell. What would move the cursor or be
// invisible is written as printf takes it, so that the word can be shown on a
// terminal and still means the same.
func ShellWord(text string) string {
	if showable(text) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	// A shell takes line feeds off the end of what a command printed.
	if body := strings.TrimRight(text, "\n"); body != text {
		return ShellWord(body) + "'" + text[len(body):] + "'"
	}
	var b strings.Builder
	b.WriteString(`"$(printf '`)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'':
			b.WriteString(`'\''`)
		case c == '\\' || c == '%':
			b.Write([]byte{c, c})
		case c < 0x20 || c >= 0x7f || c == '-' && i == 0: // no option of printf
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString(`')"`)
	return b.String()
}

// maxShownMarks is how many combining marks on a letter can be shown.
const maxShownMarks = 4

// showable reports whether a terminal shows text as what it is.
func showable(text string) bool {
	marks := 0
	for i, r := range text {
		if _, n := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			return false
		}
		if !unicode.Is(unicode.M, r) {
			marks = 0
		} else if marks++; marks > maxShownMarks {
			return false
		}
	}
	return true
}

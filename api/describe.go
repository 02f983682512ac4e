package api

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Request is a request of the client, to be shown to the user. It never contains the key.
type Request struct {
	Method  string `json:"method"`
	Address string `json:"address"`         // in a request for Client.Do, only the path
	Parts   []Part `json:"parts,omitempty"` // text parts of an upload
	File    string `json:"file,omitempty"`  // path whose bytes are the file part
	Body    string `json:"body,omitempty"`  // JSON body of an update
	Err     error  `json:"-"`               // why it cannot be made; Client.Do returns it

	op string // the operation, for errors
}

// DescribeUpload returns the request that Upload would send.
func (c *Client) DescribeUpload(u *Upload) Request {
	parts, err := u.Parts()
	r := Request{Method: http.MethodPost, Address: c.uploadAddress(), Parts: parts, Err: err}
	switch {
	case u.Source.URL != "":
		r.Parts = append(r.Parts, Part{"file", u.Source.URL})
	case u.Source.Path != "":
		r.File = u.Source.Path
	default:
		r.File = u.Source.Name() // its name after the download
	}
	return r
}

// KeyVariable is the environment variable from which a curl command line reads the key.
const KeyVariable = "MEDIADESK_PRIVATE_KEY"

// Curl formats the request as a command line for a POSIX shell. The key is read from the
// environment variable KeyVariable.
func (r Request) Curl() string {
	words := []string{"curl", "-sS", "-X", r.Method, "-u", `"$` + KeyVariable + `:"`}
	for _, p := range r.Parts {
		// --form would read a value that begins with @ or < from a file.
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

// ShellWord quotes text for a POSIX shell. It escapes control and invisible characters for printf,
// so that the word can be shown on a terminal and keeps its meaning.
func ShellWord(text string) string {
	if showable(text) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	// Command substitution removes trailing newlines.
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
		case c < 0x20 || c >= 0x7f || c == '-' && i == 0: // a leading - would be an option of printf
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString(`')"`)
	return b.String()
}

const maxShownMarks = 4

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

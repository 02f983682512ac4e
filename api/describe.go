package api

import (
	"net/http"
	"strings"
)

// Request is an upload or update as it would go out, for looking at. It never
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
	if u.Source.URL != "" {
		r.Parts = append(r.Parts, Part{"file", u.Source.URL})
	} else {
		r.File = u.Source.Path
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
		words = append(words, "--form-string", shellWord(p.Name+"="+p.Value))
	}
	if r.File != "" {
		name := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(r.File)
		if name == "-" { // curl would read its standard input
			name = "./-"
		}
		words = append(words, "-F", shellWord(`file=@"`+name+`"`))
	}
	if r.Body != "" {
		words = append(words, "-H", "'Content-Type: application/json'", "--data-raw", shellWord(r.Body))
	}
	return strings.Join(append(words, shellWord(r.Address)), " ")
}

// shellWord quotes text for a POSIX shell.
func shellWord(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

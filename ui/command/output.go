package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
)

// closeTime is how long a command waits for its parts to close.
const closeTime = 5 * time.Second

// report prints an error as a sentence with what helps.
func report(w io.Writer, err error) {
	var exit *exitError
	if errors.As(err, &exit) && exit.err == nil {
		return
	}
	fmt.Fprintln(w, "mediadesk: "+safeLines(err.Error()))
	if hint := api.Hint(err); hint != "" {
		fmt.Fprintln(w, safeLines(hint))
	}
}

// sentences joins what happened with what helps, which may be empty.
func sentences(what, help string) string {
	if help == "" {
		return what
	}
	if !strings.HasSuffix(what, ".") && !strings.HasSuffix(what, "!") {
		what += "."
	}
	return what + " " + help
}

// safeLines makes text from outside safe for the terminal and keeps the line
// breaks of our own messages.
func safeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = kit.Safe(line)
	}
	return strings.Join(lines, "\n")
}

// printJSON writes one object on one line.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// record is a file as the service gave it, or as we keep it where it came from
// no service.
func record(f *api.File) (json.RawMessage, error) {
	if f == nil {
		return json.RawMessage("null"), nil
	}
	if f.Raw != nil {
		return f.Raw, nil
	}
	return json.Marshal(f)
}

package cli

import (
	"fmt"
	"io"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// dryReads shows the request that would read each of these files. Nothing is
// sent, so that no key is needed.
func (p *Program) dryReads(f *flags, ids []string, describe func(c *api.Client, id string) (api.Request, error)) error {
	s, err := session.Describe(p.options(f))
	if err != nil {
		return err
	}
	for _, id := range ids {
		r, err := describe(s.Client, id)
		if err != nil {
			return err
		}
		if err := printRequest(p.Stdout, f.json, r); err != nil {
			return err
		}
	}
	return nil
}

// printRequest shows a request that is not sent, with the curl line that would
// send it.
func printRequest(w io.Writer, asJSON bool, r api.Request) error {
	if asJSON {
		return printJSON(w, r)
	}
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

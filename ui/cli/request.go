package cli

import (
	"context"
	"fmt"
	"io"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// describe returns a session that describes requests. It sends nothing and needs no key.
func (p *Program) describe(_ context.Context, f *flags) (*session.Session, error) {
	return session.Describe(p.options(f))
}

// openOrDescribe is describe with --dry-run, else openAnyway.
func (p *Program) openOrDescribe(ctx context.Context, f *flags) (*session.Session, error) {
	if f.dryRun {
		return p.describe(ctx, f)
	}
	return p.openAnyway(ctx, f)
}

// dryReads shows the requests that would read the files.
func (p *Program) dryReads(ctx context.Context, f *flags, names []string, request func(c *api.Client, id string) (api.Request, error)) error {
	open := p.describe
	if hasPath(names) {
		open = p.openAnyway
	}
	s, err := open(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(s)
	for _, name := range names {
		id, err := fileID(ctx, s, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r, err := request(s.Client, id)
		if err != nil {
			return err
		}
		if err := printRequest(p.Stdout, f.json, r); err != nil {
			return err
		}
	}
	return nil
}

// printRequest shows a request and the equivalent curl command.
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

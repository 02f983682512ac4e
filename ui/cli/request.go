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
		if err := p.showRequest(f)(request(s.Client, id)); err != nil {
			return err
		}
	}
	return nil
}

// showRequest returns a function that shows a request and the equivalent curl command, or
// returns the error of the Describe function that it comes from.
func (p *Program) showRequest(f *flags) func(api.Request, error) error {
	return func(r api.Request, err error) error {
		switch {
		case err != nil:
			return err
		case f.json:
			return printJSON(p.Stdout, r)
		}
		return printRequest(p.Stdout, r)
	}
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

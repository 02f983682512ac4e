package cli

import (
	"fmt"
	"io"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// describe makes a client that is good for describing requests: nothing is
// opened, no key is looked for.
func (p *Program) describe(r session.Request) (session.Profile, *api.Client, error) {
	c, err := config.Load(p.Paths)
	if err != nil {
		return session.Profile{}, nil, err
	}
	profile, err := session.Resolve(c, r)
	if err != nil {
		return session.Profile{}, nil, err
	}
	o := api.Options{UploadURL: profile.UploadURL, BaseURL: profile.BaseURL, DeliveryURL: profile.DeliveryURL}
	if profile.Kind == config.KindLocal {
		address := "http://" + c.Local.Addr
		o = api.Options{UploadURL: address, BaseURL: address, DeliveryURL: address}
	}
	client, err := api.NewClient(o)
	if err != nil {
		return session.Profile{}, nil, err
	}
	shown, err := session.NewProfile(profile)
	shown.Host = client.Host()
	return shown, client, err
}

// dryReads shows the request that would read each of these files. Nothing is
// sent, so that no key is needed.
func (p *Program) dryReads(f *flags, ids []string, describe func(c *api.Client, id string) (api.Request, error)) error {
	_, client, err := p.describe(f.Request)
	if err != nil {
		return err
	}
	for _, id := range ids {
		r, err := describe(client, id)
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

package cli

import (
	"fmt"
	"io"
	"strings"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Resolve finds the profile that a request is for. An unnamed profile is made
// of the addresses; one that is not given is that of the upload.
func Resolve(c config.Config, r Request) (config.Profile, error) {
	if !r.Unnamed() {
		if r.Profile == "" {
			return c.Current(), nil
		}
		return c.Find(r.Profile)
	}
	if r.Profile != "" {
		return config.Profile{}, usage("--profile names a profile, --upload-url and --base-url are for one without a name: use one or the other")
	}
	p := config.Profile{Kind: config.KindOwn, Naming: config.NamingHere, ColourOption: config.ColourBritish}
	for _, address := range []struct {
		given string
		flag  string
		into  *string
	}{{r.UploadURL, "--upload-url", &p.UploadURL}, {r.BaseURL, "--base-url", &p.BaseURL}, {r.DeliveryURL, "--delivery-url", &p.DeliveryURL}} {
		if address.given == "" {
			continue
		}
		if strings.Contains(address.given, "@") {
			// Not shown: what stands before it may be the key.
			return p, usage("%s holds a user name or password: leave it out, the key is sent by itself", address.flag)
		}
		clean, err := config.CheckURL(address.given)
		if err != nil {
			return p, usage("%s: %s", address.flag, err.Error())
		}
		*address.into = clean
	}
	if p.UploadURL == "" {
		p.UploadURL = p.BaseURL
	}
	if p.BaseURL == "" {
		p.BaseURL = p.UploadURL
	}
	if p.UploadURL == "" {
		return p, usage("--delivery-url alone is not enough: give --upload-url or --base-url too")
	}
	p.Name = unnamed + p.UploadURL[strings.Index(p.UploadURL, "://")+len("://"):]
	return p, nil
}

// unnamed begins the name that addresses of the command line have in the
// journal, with the address behind it: what waits there for one service never
// goes to another. No profile can have such a name, so none of the keys in the
// keyring is theirs.
const unnamed = "unnamed@"

// AddressFlags are the flags that name the addresses of a request; nil where it
// is for a profile.
func AddressFlags(r Request) []string {
	var args []string
	for _, f := range [][2]string{{"upload-url", r.UploadURL}, {"base-url", r.BaseURL}, {"delivery-url", r.DeliveryURL}} {
		if f[1] != "" {
			args = append(args, "--"+f[0]+"="+f[1])
		}
	}
	return args
}

// IsUnnamed reports whether the name is that of addresses of the command line.
func IsUnnamed(profile string) bool { return strings.HasPrefix(profile, unnamed) }

// describe makes a client that is good for describing requests: nothing is
// opened, no key is looked for.
func (p *Program) describe(r Request) (page.Profile, *api.Client, error) {
	c, err := config.Load(p.Paths)
	if err != nil {
		return page.Profile{}, nil, err
	}
	profile, err := Resolve(c, r)
	if err != nil {
		return page.Profile{}, nil, err
	}
	o := api.Options{UploadURL: profile.UploadURL, BaseURL: profile.BaseURL, DeliveryURL: profile.DeliveryURL}
	if profile.Kind == config.KindLocal {
		address := "http://" + c.Local.Addr
		o = api.Options{UploadURL: address, BaseURL: address, DeliveryURL: address}
	}
	client, err := api.NewClient(o)
	if err != nil {
		return page.Profile{}, nil, err
	}
	shown, err := PageProfile(profile)
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

// PageProfile is what screens and commands know of a profile. The error is one
// of its extensions.
func PageProfile(p config.Profile) (page.Profile, error) {
	extensions, err := parseExtensions(p.Extensions)
	if err != nil {
		return page.Profile{}, fmt.Errorf("the extensions that profile %q begins with: %w", p.Name, err)
	}
	return page.Profile{
		Name: p.Name, Local: p.Kind == config.KindLocal, MaxSize: p.MaxSize, Folder: p.Folder, Tags: p.Tags,
		Extensions: extensions, Naming: api.Naming(p.Naming), ColourOption: string(p.ColourOption),
	}, nil
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

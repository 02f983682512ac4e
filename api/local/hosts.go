package local

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"mediadesk/api"
)

// CheckHost returns an error unless text is the name of a host or an IP address,
// the form of Options.Hosts.
func CheckHost(text string) error {
	u, err := url.Parse("http://" + text + "/")
	if err == nil && text != "" && u.Hostname() == strings.Trim(text, "[]") {
		return nil
	}
	return fmt.Errorf("host %s is not a name without scheme and port, such as media.test", quote(text))
}

// CheckPublicURL returns an error unless text can be Options.Address.
func CheckPublicURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || api.CheckSourceURL(text) != nil {
		return errors.New("the public URL is an http or https address without user, query and fragment, such as https://media.test")
	}
	return nil
}

func hostKey(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
}

// allowHosts lets requests name these hosts. Call it before the first request.
func (l *Library) allowHosts(names ...string) {
	for _, name := range names {
		if name != "" {
			l.hosts[hostKey(name)] = true
		}
	}
}

// allowMachine lets requests use the names of this computer and the name in addr,
// HOST:PORT.
func (l *Library) allowMachine(addr string) {
	host, _, _ := net.SplitHostPort(addr)
	l.allowHosts(host)
	if name, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(name, ".")
		l.allowHosts(name, short, short+".local")
	}
}

// hostAllowed refuses host names that a foreign name server could point at this
// computer (DNS rebinding): a web page could then use the library as its own
// origin.
func (l *Library) hostAllowed(hostport string) bool {
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = hostKey(host)
	if api.IsLoopback(host) || l.hosts[host] {
		return true
	}
	// An IP address cannot be rebound.
	_, err := netip.ParseAddr(host)
	return err == nil && l.public.Load()
}

// base is the address that a client of r should use for files: the public URL, or
// else the one under which it sent the request. A proxy in front that speaks TLS
// says so in X-Forwarded-Proto.
func (l *Library) base(r *http.Request) string {
	if l.o.Address != "" || r.Host == "" {
		return l.Address()
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

// rebase moves the addresses in an answer to the base of its request.
func (l *Library) rebase(r *http.Request, body any) {
	from, to := l.Address(), l.base(r)
	if from == to {
		return
	}
	files, _ := body.([]*api.File)
	if file, ok := body.(*api.File); ok {
		files = []*api.File{file}
	}
	for _, f := range files {
		for _, address := range []*string{&f.URL, &f.ThumbnailURL, &f.Thumbnail} {
			if path, ok := strings.CutPrefix(*address, from); ok {
				*address = to + path
			}
		}
	}
}

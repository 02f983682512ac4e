package local

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// CheckHost checks that text is a host name or IP address, the form of Options.Hosts.
func CheckHost(text string) error {
	u, err := url.Parse("http://" + text + "/")
	if err == nil && text != "" && u.Hostname() == strings.Trim(text, "[]") {
		return nil
	}
	return fmt.Errorf("host %s is not a name without scheme and port, such as media.test", quote(text))
}

// CheckPublicURL checks that text is usable as Options.Address.
func CheckPublicURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.RawQuery+u.Fragment != "" || rule.CheckSourceURL(text) != nil {
		return errors.New("the public URL must be an http or https address without user, query and fragment, such as https://media.test")
	}
	return nil
}

func hostKey(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
}

// allowHosts allows these host names. Call it before the first request.
func (l *Library) allowHosts(names ...string) {
	for _, name := range names {
		if name != "" {
			l.hosts[hostKey(name)] = true
		}
	}
}

// hostAllowed refuses host names that a foreign name server could point at this computer (DNS
// rebinding), which would make the library part of a web page's origin.
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

// base returns the address for file URLs. A TLS proxy in front sets X-Forwarded-Proto.
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
			*address = strings.Replace(*address, from, to, 1) // they begin with it
		}
	}
}

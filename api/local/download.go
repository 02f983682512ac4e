package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

const (
	maxRedirects        = 5
	downloadIdleTimeout = 30 * time.Second
	downloadTimeout     = 10 * time.Minute
)

// download fetches a URL source (service.md §4.1, file). Every failure has the status 400 (§7).
func (l *Library) download(ctx context.Context, address string) (*store.Draft, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	res, err := l.fetchHeaders(ctx, stop, address) //nolint:bodyclose // it is closed below
	if err != nil {
		return nil, downloadError(ctx, err)
	}
	defer res.Body.Close()
	if res.ContentLength > l.o.MaxSize {
		return nil, l.errTooLarge()
	}
	draft, err := l.contents.Draft()
	if err != nil {
		return nil, err
	}
	silent := fmt.Errorf("no data arrived for %.0f seconds", downloadIdleTimeout.Seconds())
	idle := time.AfterFunc(downloadIdleTimeout, func() { stop(silent) })
	defer idle.Stop()
	err = l.fill(draft, readerFunc(func(p []byte) (int, error) {
		n, err := res.Body.Read(p)
		if n > 0 {
			idle.Reset(downloadIdleTimeout)
		}
		return n, err
	}))
	if err == nil {
		return draft, nil
	}
	draft.Discard()
	if _, failed := errors.AsType[*storeError](err); failed || isRefusal(err) {
		return nil, err
	}
	return nil, downloadError(ctx, err)
}

// fetchHeaders follows redirects itself, so each hop has its own time limits and checks.
func (l *Library) fetchHeaders(ctx context.Context, stop context.CancelCauseFunc,
	address string,
) (*http.Response, error) {
	for range maxRedirects + 1 {
		if err := rule.CheckSourceURL(address); err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		if req.URL.User != nil {
			return nil, errors.New("the address holds a user name")
		}
		req.Header.Set("User-Agent", "mediadesk")
		late := fmt.Errorf("no response headers arrived within %.0f seconds", l.headerTimeout.Seconds())
		timer := time.AfterFunc(l.headerTimeout, func() { stop(late) })
		res, err := l.guard.client.Do(req)
		timer.Stop()
		if err != nil {
			return nil, err
		}
		switch res.StatusCode {
		case http.StatusOK:
			return res, nil
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			next, err := res.Location()
			res.Body.Close()
			if err != nil {
				return nil, errors.New("the address redirects without a target")
			}
			address = next.String()
		default:
			res.Body.Close()
			return nil, fmt.Errorf("the address answered %d", res.StatusCode)
		}
	}
	return nil, fmt.Errorf("the address redirects more than %d times", maxRedirects)
}

func downloadError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if broken, ok := errors.AsType[*api.RuleError](err); ok {
		return broken
	}
	reason := err.Error()
	var wrapped *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		reason = fmt.Sprintf("it took longer than %.0f minutes", downloadTimeout.Minutes())
	case errors.As(err, &wrapped):
		reason = wrapped.Err.Error()
		if dial, ok := errors.AsType[*net.OpError](err); ok {
			reason = dial.Err.Error()
		}
	}
	if what, _ := api.DescribeUnreached(err); what != "" {
		reason = what
	}
	return badRequest("Your request contains invalid file parameter. The file could not be downloaded: "+reason+".",
		cmp.Or(api.Hint(err), "Check the address, and that it can be reached from here."))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// internet matches addresses of the public internet as assigned by IANA. It excludes this computer,
// its networks, and special addresses such as multicast, documentation and tunnels. The guard
// decides about ports and exceptions.
var internet = ssrf.New(ssrf.WithAnyNetwork(), ssrf.WithAnyPort())

// isInternal reports whether ip may be in a network that only this computer can reach.
func isInternal(ip netip.Addr) bool { return internet.SafeAddr(ip.Unmap().WithZone("")) != nil }

// guard restricts outgoing connections to the internet. It checks the dialed address, after name
// resolution, so redirects and odd spellings cannot bypass it.
type guard struct {
	allowed  map[string]bool // host:port as given, and as dialed
	loopback func() bool     // whether webhooks may go to this computer
	client   *http.Client    // for URL sources
	posts    *http.Client    // for webhooks
}

// CheckAllowed checks that text has the form HOST:PORT of Options.AllowAddresses.
func CheckAllowed(text string) error {
	_, err := newGuard([]string{text})
	return err
}

func newGuard(allow []string) (*guard, error) {
	g := &guard{allowed: map[string]bool{}, loopback: func() bool { return false }}
	for _, text := range allow {
		host, port, err := net.SplitHostPort(text)
		if err != nil || host == "" || port == "" {
			return nil, fmt.Errorf("allowed address %s is not HOST:PORT", quote(text))
		}
		g.allowed[strings.ToLower(text)] = true
		if strings.EqualFold(host, "localhost") {
			g.allowed[net.JoinHostPort("127.0.0.1", port)] = true
			g.allowed[net.JoinHostPort("::1", port)] = true
		}
	}
	g.client = g.newClient(func(netip.Addr) bool { return false })
	g.posts = g.newClient(func(ip netip.Addr) bool { return g.loopback() && ip.Unmap().IsLoopback() })
	return g, nil
}

func (g *guard) newClient(also func(netip.Addr) bool) *http.Client {
	check := func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		ip := at.Addr().Unmap()
		allowed := g.allowed[netip.AddrPortFrom(ip, at.Port()).String()]
		if err == nil && (allowed || also(ip) || !isInternal(ip)) {
			return nil
		}
		return api.WithHint(fmt.Errorf("the address %s is in an internal network", address),
			"Send the file itself, or allow the address: --allow-address of mediadesk serve, allow_address in config.toml.")
	}
	transport := &http.Transport{
		Proxy: nil, // a proxy would dial for us, unchecked
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialer := net.Dialer{Timeout: 8 * time.Second}
			if !g.allowed[strings.ToLower(address)] {
				dialer.Control = check
			}
			return dialer.DialContext(ctx, network, address)
		},
		TLSHandshakeTimeout:    8 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // store the bytes as they are served
		DisableKeepAlives:      true, // a new connection, and so a check, for each request
	}
	return &http.Client{
		Transport: transport,
		// download follows redirects itself; webhooks follow none.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

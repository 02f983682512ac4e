package local

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// internet matches addresses of the public internet as assigned by IANA. It excludes this computer,
// its networks, and special addresses such as multicast, documentation and tunnels. The guard
// decides about ports and exceptions.
var internet = ssrf.New(ssrf.WithAnyNetwork(), ssrf.WithAnyPort())

// isInternal reports whether ip is off limits for URL sources and webhooks, which could otherwise
// reach hosts that only this computer can reach.
func isInternal(ip netip.Addr) bool {
	return internet.SafeAddr(ip.Unmap().WithZone("")) != nil
}

// guardError reports a refused address.
type guardError struct{ address string }

func (e *guardError) Error() string {
	return "the address " + e.address + " is in an internal network; use --allow-address to allow it"
}

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
	_, _, err := splitAllowed(text)
	return err
}

func splitAllowed(text string) (host, port string, err error) {
	if host, port, err = net.SplitHostPort(text); err != nil || host == "" || port == "" {
		return "", "", fmt.Errorf("allowed address %s is not HOST:PORT", quote(text))
	}
	return host, port, nil
}

func newGuard(allow []string) (*guard, error) {
	g := &guard{allowed: map[string]bool{}, loopback: func() bool { return false }}
	for _, text := range allow {
		host, port, err := splitAllowed(text)
		if err != nil {
			return nil, err
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
		if err != nil {
			return &guardError{address}
		}
		ip := at.Addr().Unmap()
		if g.allowed[netip.AddrPortFrom(ip, at.Port()).String()] || also(ip) || !isInternal(ip) {
			return nil
		}
		return &guardError{address}
	}
	guarded := &net.Dialer{Timeout: 8 * time.Second, Control: check}
	free := &net.Dialer{Timeout: 8 * time.Second}
	transport := &http.Transport{
		Proxy: nil, // a proxy would dial for us, unchecked
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if g.allowed[strings.ToLower(address)] {
				return free.DialContext(ctx, network, address)
			}
			return guarded.DialContext(ctx, network, address)
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

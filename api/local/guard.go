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

// internet lets through what IANA has assigned to the public internet. What is
// refused beside that are the addresses of this computer and of its networks, and
// special ones such as multicast, documentation, tunnels and translated IPv4.
// Ports and exceptions are the guard's.
var internet = ssrf.New(ssrf.WithAnyNetwork(), ssrf.WithAnyPort())

// isInternal reports whether a URL source or a webhook may not lead to ip:
// whoever sends an address would otherwise reach what only this computer can.
func isInternal(ip netip.Addr) bool {
	return internet.SafeAddr(ip.Unmap().WithZone("")) != nil
}

// guardError says that an address was not let through.
type guardError struct{ address string }

func (e *guardError) Error() string {
	return "the address " + e.address + " lies in an internal network, which is not reached from here"
}

// guard lets connections out to the internet only. It looks at the address
// that is really dialled, after every name was resolved, so no spelling of an
// address and no redirect gets around it.
type guard struct {
	allowed  map[string]bool // host:port as it was given, and as dialled
	loopback func() bool     // whether webhooks may go to this computer
	client   *http.Client    // for URL sources
	posts    *http.Client    // for webhooks
}

// CheckAllowed says whether text is an address that the guard can be told to
// let through: HOST:PORT.
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
		Proxy: nil, // a proxy would dial for us, past the guard
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if g.allowed[strings.ToLower(address)] {
				return free.DialContext(ctx, network, address)
			}
			return guarded.DialContext(ctx, network, address)
		},
		TLSHandshakeTimeout:    8 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // what is stored are the bytes that were served
		DisableKeepAlives:      true, // each address is dialled, and so checked, anew
	}
	return &http.Client{
		Transport: transport,
		// Redirects of a source are followed by hand, those of a webhook never.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

package api

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// IsWebAddress reports whether a word begins like an http or https address, in any case.
func IsWebAddress(word string) bool {
	scheme, _, found := strings.Cut(word, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// IsLoopback reports whether host (without port) is this computer.
func IsLoopback(host string) bool {
	host = strings.Trim(host, "[]")
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// IsPrivateHost reports whether an address is on this computer or in a private network, where a
// service on the internet cannot reach it.
func IsPrivateHost(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && isPrivate(u.Hostname())
}

// isPrivate is like IsPrivateHost, for a host without scheme and port.
func isPrivate(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	has := func(suffix string) bool { return strings.HasSuffix(host, suffix) }
	if IsLoopback(host) || slices.ContainsFunc([]string{".local", ".localhost", ".internal"}, has) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return !strings.Contains(host, ".") // "nas" can only be a local name
	}
	ip = ip.Unmap()
	return ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || sharedAddresses.Contains(ip)
}

// sharedAddresses is the range for carrier-grade NAT (RFC 6598).
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

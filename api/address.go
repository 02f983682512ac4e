package api

import (
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// CheckSourceURL returns an error unless text is an address from which a service can download
// (service.md §4.1, file): http or https, with a host. A service would decode anything else as
// base64 and store garbage. The error is a *RuleError.
func CheckSourceURL(text string) error { return checkAddress("file", text) }

// CheckWebhookURL returns an error unless text is an address to which a service can post
// (service.md §4.1, webhookUrl). The error is a *RuleError.
func CheckWebhookURL(text string) error { return checkAddress("webhookUrl", text) }

func checkAddress(field, text string) error {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\r\n") {
		return nil
	}
	if text == "" {
		return &RuleError{Field: field, Message: field + " has no address", Help: "Type one, or leave it out."}
	}
	return &RuleError{Field: field, Message: field + " " + quote(clip(text, 80)) + " is not an http or https address", Help: "Write the whole address, such as https://example.com/photo.jpg."}
}

// IsWebAddress reports whether a word begins like an http or https address, in any case.
func IsWebAddress(word string) bool {
	return hasPrefixFold(word, "http://") || hasPrefixFold(word, "https://")
}

// IsFileAddress reports whether a word begins like a file: address.
func IsFileAddress(word string) bool { return hasPrefixFold(word, "file:/") }

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// PathOfAddress returns the path of a file: address, and false if it is not on this computer.
func PathOfAddress(address string) (string, bool) {
	if !IsFileAddress(address) {
		return "", false
	}
	rest := address[len("file:"):]
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host, path, _ := strings.Cut(after, "/")
		own, _ := os.Hostname() // some terminals include it in dropped addresses
		if host != "" && !strings.EqualFold(host, "localhost") && !strings.EqualFold(host, own) {
			return "", false
		}
		rest = "/" + path
	}
	path, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsRune(path, 0) {
		return "", false
	}
	if filepath.Separator == '\\' {
		path = strings.TrimPrefix(path, "/") // file:///C:/x
	}
	return filepath.Clean(filepath.FromSlash(path)), true
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
	if err != nil || u.Hostname() == "" {
		return false
	}
	return isPrivate(u.Hostname())
}

// isPrivate is like IsPrivateHost, for a host without scheme and port.
func isPrivate(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if IsLoopback(host) || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".internal") {
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

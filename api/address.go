package api

import (
	"net/netip"
	"net/url"
	"strings"
)

// CheckSourceURL says whether text is an address from which a service can
// download (§4.1, file): http or https, with a host. Anything else would be
// read as base64 and stored as garbage. The error is a *RuleError.
func CheckSourceURL(text string) error { return checkAddress("file", text) }

// CheckWebhookURL says whether text is an address to which a service can post
// (§4.1, webhookUrl). The error is a *RuleError.
func CheckWebhookURL(text string) error { return checkAddress("webhookUrl", text) }

func checkAddress(field, text string) error {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\r\n") {
		return nil
	}
	return &RuleError{Field: field, Message: field + " " + quote(clip(text, 80)) + " is not an http or https address", Help: "Write the whole address, such as https://example.com/photo.jpg."}
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

// IsPrivateHost reports whether an address points to this computer or into a
// private network, where a service on the internet cannot reach it.
func IsPrivateHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if IsLoopback(host) || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".internal") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return !strings.Contains(host, ".") // "nas" is a name of the own network only
	}
	ip = ip.Unmap()
	return ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || sharedAddresses.Contains(ip)
}

// sharedAddresses are those behind a provider's own translation.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

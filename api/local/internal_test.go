package local

import (
	"net/netip"
	"testing"
)

// TestIsInternal: the guard keeps special and unassigned addresses, in each of their spellings, and
// lets those of the public internet through.
func TestIsInternal(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0", "10.255.255.255", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
		"192.88.99.1", "192.168.0.1", "198.19.255.255", "203.0.113.1", "224.0.0.1", "255.255.255.255",
		"::", "::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "5f00::1",
		"fc00::1", "fe80::1", "fec0::1", "ff02::1", "::ffff:0:127.0.0.1", "4000::1",
	} {
		ip := netip.MustParseAddr(text)
		for _, ip := range []netip.Addr{ip, ip.WithZone("eth0"), netip.AddrFrom16(ip.As16())} {
			if !isInternal(ip) {
				t.Errorf("%s is let through", ip)
			}
		}
	}
	for _, text := range []string{"1.1.1.1", "100.128.0.1", "172.32.0.1", "192.0.3.1", "223.255.255.255", "2606:4700::1111", "::ffff:8.8.8.8"} {
		if isInternal(netip.MustParseAddr(text)) {
			t.Errorf("%s is refused", text)
		}
	}
}

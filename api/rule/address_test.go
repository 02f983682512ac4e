package rule_test

import (
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// TestCheckAddresses: service.md §4.1, file: a URL must be one from which the service can download; anything
// else would be stored as garbage.
func TestCheckAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://example.com/photo.jpg":        true,
		"http://example.com":                   true,
		"HTTPS://EXAMPLE.COM/A.JPG":            true,
		"https://example.com:8443/a?b=c#d":     true,
		"https://[::1]:8080/a.jpg":             true,
		"https://example.com/%D0%B4.jpg":       true,
		"https://example.com/день.jpg":         true,
		"":                                     false,
		"photo.jpg":                            false,
		"/home/me/photo.jpg":                   false,
		"C:\\photo.jpg":                        false,
		"//example.com/a.jpg":                  false,
		"ftp://example.com/a.jpg":              false,
		"file:///etc/passwd":                   false,
		"data:image/png;base64,AAAA":           false,
		"javascript:alert(1)":                  false,
		"https:":                               false,
		"https://":                             false,
		"https:///a.jpg":                       false,
		"https://:8080/a.jpg":                  false,
		"https:example.com":                    false,
		" https://example.com":                 false,
		"https://example.com/a b":              false,
		"https://example.com/a\r\nX: y":        false,
		"https://example.com/" + "\x00":        false,
		"https://exa mple.com/":                false,
		"https://example.com/%zz":              false,
		"https://" + strings.Repeat("\x1b", 9): false,
	} {
		t.Run(address, func(t *testing.T) {
			for field, check := range map[string]func(string) error{
				"file": rule.CheckSourceURL, "webhookUrl": rule.CheckWebhookURL,
			} {
				err := check(address)
				if ok {
					field = ""
				}
				wantRule(t, err, field)
				if err != nil && strings.ContainsAny(err.Error(), "\x00\x1b\r\n") {
					t.Errorf("the message carries raw control characters: %q", err)
				}
			}
		})
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "localhost.": true, "127.0.0.1": true, "127.255.255.254": true,
		"::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "127.1": false, "2130706433": false, "0x7f.1": false,
		"localhost.example.com": false, "127.0.0.1.example.com": false, "xlocalhost": false, "10.0.0.1": false, "example.com": false,
	} {
		mediatest.Equal(t, api.IsLoopback(host), want, "IsLoopback(%q)", host)
	}
}

func TestIsPrivateHost(t *testing.T) {
	for address, want := range map[string]bool{
		"http://localhost:7843/hook": true, "http://127.0.0.1/": true, "http://[::1]/": true,
		"http://10.1.2.3/": true, "http://172.16.0.1/": true, "http://192.168.1.1/": true, "http://169.254.1.1/": true,
		"http://100.64.0.1/": true, "http://0.0.0.0/": true, "http://[fd00::1]/": true, "http://[fe80::1]/": true,
		"http://[::ffff:10.0.0.1]/": true, "http://nas/": true, "http://nas.local/": true, "http://x.localhost/": true,
		"http://db.internal./": true, "http://NAS.LOCAL/": true,
		"https://example.com/": false, "https://8.8.8.8/": false, "https://172.32.0.1/": false, "https://100.128.0.1/": false,
		"https://[2606:4700::1111]/": false, "": false, "::": false, "photo.jpg": false,
	} {
		mediatest.Equal(t, api.IsPrivateHost(address), want, "IsPrivateHost(%q)", address)
	}
}

// TestCheckSize: service.md §8: sizes up to the limit of the account.
func TestCheckSize(t *testing.T) {
	const free, video = 25_000_000, 300_000_000
	for _, test := range []struct {
		size, limit int64
		says        string
	}{
		{free, free, ""},
		{free - 1, free, ""},
		{free + 1, free, "25000001 bytes; the limit of this account is 25000000 bytes"},
		{26_000_000, free, "26.0 MB; the limit of this account is 25.0 MB"},
		{video, video, ""},
		{video + 1_000_000, video, "301.0 MB; the limit of this account is 300.0 MB"},
		{2_000, 1_500, "2.0 kB; the limit of this account is 1.5 kB"},
		{20, 10, "20 bytes; the limit of this account is 10 bytes"},
		{1 << 62, 0, ""},
		{1 << 62, -1, ""},
	} {
		err := rule.CheckSize(test.size, test.limit)
		if test.says == "" {
			wantRule(t, err, "")
			continue
		}
		wantRule(t, err, "file")
		if !strings.Contains(err.Error(), test.says) {
			t.Errorf("%d over %d: %q does not contain %q", test.size, test.limit, err, test.says)
		}
	}
}

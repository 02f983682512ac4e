package local_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/delivery"
)

func TestKeyIsRequired(t *testing.T) {
	for _, k := range []interface{ Reveal() string }{nil, key("")} {
		if _, err := local.Open(context.Background(), local.Options{Dir: t.TempDir(), Key: k}); err == nil {
			t.Error("a library opened without a key")
		}
	}
}

func TestFolderKey(t *testing.T) {
	dir := t.TempDir() + "/new"
	secret, path, err := local.FolderKey(dir)
	if err != nil || len(secret) < 40 {
		t.Fatalf("made %d characters, %v", len(secret), err)
	}
	again, _, err := local.FolderKey(dir)
	if err != nil || again != secret {
		t.Errorf("the second time it was another: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := local.FolderKey(dir); err == nil {
		t.Error("an empty key file: got no error")
	}
}

func TestHostAndOrigin(t *testing.T) {
	s := serve(t, local.Options{})
	for _, c := range []struct {
		name, method, host, origin string
		status                     int
	}{
		{"own", http.MethodGet, "", "", http.StatusOK},
		{"localhost", http.MethodGet, "localhost:80", "", http.StatusOK},
		{"IPv6", http.MethodGet, "[::1]:80", "", http.StatusOK},
		{"another name", http.MethodGet, "evil.example", "", http.StatusMisdirectedRequest},
		{"like localhost", http.MethodGet, "localhost.evil.example", "", http.StatusMisdirectedRequest},
		{"another address", http.MethodGet, "10.0.0.1", "", http.StatusMisdirectedRequest},
		{"a page elsewhere", http.MethodPost, "", "https://evil.example", http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), c.method, s.Address+"/v1/files", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = c.host
			if c.origin != "" {
				req.Header.Set("Origin", c.origin)
			}
			req.SetBasicAuth(testKey, "")
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != c.status {
				t.Errorf("answered %d, want %d", res.StatusCode, c.status)
			}
		})
	}
}

func TestOtherSites(t *testing.T) {
	const refused, uploading = http.StatusForbidden, "/api/v1/files/upload"
	for _, embeddable := range []bool{false, true} {
		l := serve(t, local.Options{Emulator: embeddable}).Library
		contentType, body := form([]byte("x"), "fileName", "a.txt", "useUniqueFileName", "false")
		if w := send(l, http.MethodPost, uploading, contentType, body); w.Code != http.StatusOK {
			t.Fatalf("the upload answers %d: %s, want %d", w.Code, w.Body, http.StatusOK)
		}
		for _, c := range []struct {
			site, method, path string
			key                bool
			want               int
		}{
			{"cross-site", http.MethodGet, "/v1/files", true, refused},
			{"cross-site", http.MethodGet, "//v1/files/", true, refused},
			{"cross-site", http.MethodGet, "/api/v1/library", false, refused},
			{"cross-site", http.MethodHead, "/v1/files", true, refused},
			{"cross-site", http.MethodOptions, "/v1/files", false, refused},
			{"cross-site", http.MethodDelete, "/v1/files/0", true, refused},
			{"cross-site", http.MethodPost, uploading, true, refused},
			{"cross-site", http.MethodPut, uploading, false, refused},
			{"cross-site", http.MethodPost, uploading, false, http.StatusUnauthorized},
			{"cross-site", http.MethodGet, "/a.txt", false, http.StatusOK},
			{"same-site", http.MethodGet, "/v1/files", true, http.StatusOK},
			{"same-site", http.MethodPost, uploading, true, refused},
			{"same-site", http.MethodPost, uploading, false, http.StatusUnauthorized},
			{"same-origin", http.MethodGet, "/v1/files", true, http.StatusOK},
			{"none", http.MethodGet, "/v1/files", true, http.StatusOK},
			{"", http.MethodGet, "/v1/files", true, http.StatusOK},
		} {
			r := httptest.NewRequest(c.method, "http://127.0.0.1"+c.path, nil)
			r.Header.Set("Sec-Fetch-Site", c.site)
			if c.key {
				r.SetBasicAuth(testKey, "")
			}
			w := httptest.NewRecorder()
			l.ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("%s %s %s with key %t answers %d, want %d", c.site, c.method, c.path, c.key, w.Code, c.want)
			}
		}
		r := httptest.NewRequest(http.MethodOptions, "http://127.0.0.1"+uploading, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w := httptest.NewRecorder()
		if l.ServeHTTP(w, r); w.Code == refused {
			t.Errorf("the preflight of an upload answers %d", w.Code)
		}
		want := map[bool]string{false: "same-site", true: "cross-origin"}[embeddable]
		if got := ask(l, http.MethodGet, "/a.txt").Header().Get("Cross-Origin-Resource-Policy"); got != want {
			t.Errorf("a file has the policy %q, want %q", got, want)
		}
	}
}

func TestSignedAddress(t *testing.T) {
	s := serve(t, local.Options{})
	r := upload(t, s.Address, apitest.JPEG(40, 30), "fileName", "geheim ü.jpg", "folder", "/写真", "isPrivateFile", "true")
	path := r["filePath"].(string)
	address := r["url"].(string)
	for _, c := range []struct {
		name, query string
		status      int
	}{
		{"none", "", http.StatusUnauthorized},
		{"for ever", delivery.Sign(testKey, path, time.Time{}), http.StatusOK},
		{"until later", delivery.Sign(testKey, path, time.Now().Add(time.Hour)), http.StatusOK},
		{"too late", delivery.Sign(testKey, path, time.Now().Add(-time.Hour)), http.StatusUnauthorized},
		{"another key", delivery.Sign("other", path, time.Time{}), http.StatusUnauthorized},
		{"another path", delivery.Sign(testKey, "/other.jpg", time.Time{}), http.StatusUnauthorized},
		{"expiry changed", strings.Replace(delivery.Sign(testKey, path, time.Unix(1, 0)), "ik-t=1", "ik-t=9999999999", 1), http.StatusUnauthorized},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := client.Get(address + "?" + c.query)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != c.status {
				t.Errorf("answered %d, want %d", res.StatusCode, c.status)
			}
		})
	}
}

func TestWebhookGuard(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{})
	s.Library.ListenBeyond(true) // as if it listened on the network
	upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	r := upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "b.jpg", "extensions", `[{"name":"remove-bg"}]`)
	eventually(t, "background removal", func() bool { return details(t, s.Address, r["fileId"])["hasAlpha"] == true })
	select {
	case post := <-posts:
		t.Errorf("posted %v to this computer, want no post", post)
	default:
	}
}

func TestFaults(t *testing.T) {
	f, err := local.ParseFault([]string{"delay=1ms", "drop-after=100", "refuse=503:0.5", "extensions=fail", "webhooks=lost"})
	want := local.Fault{Delay: time.Millisecond, DropAfter: 100, RefuseStatus: 503, RefuseChance: 0.5, ExtensionsFail: true, WebhooksLost: true}
	if err != nil || f != want {
		t.Errorf("read %+v, %v, want %v", f, err, want)
	}
	for _, bad := range []string{"delay=soon", "delay=-1s", "drop-after=0", "refuse=200", "refuse=503:2", "refuse=503:NaN", "extensions=no", "webhooks=", "nothing=1", ""} {
		if _, err := local.ParseFault([]string{bad}); err == nil {
			t.Errorf("%q: got no error", bad)
		}
	}
	t.Run("refuse", func(t *testing.T) {
		s := serve(t, local.Options{Fault: local.Fault{RefuseStatus: 503, RefuseChance: 1}})
		contentType, body := form([]byte("x"), "fileName", "a")
		if status, _ := call(t, http.MethodPost, s.Address+"/api/v1/files/upload", contentType, body); status != 503 {
			t.Errorf("answered %d, want 503", status)
		}
	})
	t.Run("drop", func(t *testing.T) {
		s := serve(t, local.Options{Fault: local.Fault{DropAfter: 1000}})
		contentType, body := form(bytes.Repeat([]byte("x"), 1<<20), "fileName", "a")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+"/api/v1/files/upload", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		req.SetBasicAuth(testKey, "")
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
			t.Errorf("answered %d", res.StatusCode)
		}
	})
	t.Run("fail", func(t *testing.T) {
		s := serve(t, local.Options{Fault: local.Fault{ExtensionsFail: true}})
		r := upload(t, s.Address, apitest.JPEG(20, 20), "fileName", "a.jpg", "extensions", `[{"name":"aws-auto-tagging"}]`)
		if got := fmt.Sprint(r["extensionStatus"]); got != "map[aws-auto-tagging:failed]" {
			t.Errorf("the status is %s, want \"map[aws-auto-tagging:failed]\"", got)
		}
	})
}

func TestCommandReplacesAnExtension(t *testing.T) {
	if _, err := os.Stat("/bin/cat"); err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatal("there is no /bin/cat")
		}
		t.Skip("there is no /bin/cat to serve as the command")
	}
	s := serve(t, local.Options{Commands: map[string][]string{"remove-bg": {"/bin/cat"}, "mine": {"/bin/cat", "/no/such/file"}}})
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	data := apitest.AlphaPNG(40, 30)
	r := upload(t, s.Address, data, "fileName", "a.png", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"},{"name":"mine"}]`)
	ends := map[any]map[string]any{}
	for range 2 {
		post := receive(t, posts)
		ends[post["service"]] = post
	}
	if ends["remove-bg"]["status"] != "SUCCESS" || ends["mine"]["status"] != "FAILURE" {
		t.Errorf("the ends are %v", ends)
	}
	res, err := client.Get(r["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("the file has %d bytes, want %d: %v", len(got), len(data), err)
	}
	if now := details(t, s.Address, r["fileId"]); fmt.Sprint(now["versionInfo"].(map[string]any)["name"]) != "Version 2" {
		t.Errorf("the version is %v", now["versionInfo"])
	}
}

func TestInternalAddresses(t *testing.T) {
	last := func(p netip.Prefix) netip.Addr {
		ip := p.Addr().AsSlice()
		for bit := p.Bits(); bit < len(ip)*8; bit++ {
			ip[bit/8] |= 0x80 >> (bit % 8)
		}
		addr, _ := netip.AddrFromSlice(ip)
		return addr
	}
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", // AS112 and AMT
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
		"fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
		"::ffff:0:0:0/96", "2620:4f:8000::/48", "4000::/3", "e000::/4", // IPv4-translated, AS112, and unassigned ranges
	} {
		p := netip.MustParsePrefix(text)
		for _, ip := range []netip.Addr{p.Addr(), last(p)} {
			if !local.IsInternal(ip) {
				t.Errorf("%s of %s is allowed", ip, p)
			}
			if ip.Is6() && !local.IsInternal(ip.WithZone("eth0")) {
				t.Errorf("%s of %s is allowed with a zone", ip, p)
			}
			if ip.Is4() && !local.IsInternal(netip.AddrFrom16(ip.As16())) {
				t.Errorf("%s of %s is allowed as an IPv6 address", ip, p)
			}
		}
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "100.128.0.1", "172.32.0.1", "192.0.3.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8"} {
		if local.IsInternal(netip.MustParseAddr(text)) {
			t.Errorf("%s is refused", text)
		}
	}
}

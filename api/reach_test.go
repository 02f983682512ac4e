package api_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// TestProxyThatRefuses: a proxy that refuses is named, without its credentials.
func TestProxyThatRefuses(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mediatest.Equal(t, r.Header.Get("Authorization"), "", "the proxy got the key")
		http.Error(w, "blocked", http.StatusForbidden)
	}))
	defer proxy.Close()
	host := strings.TrimPrefix(proxy.URL, "http://")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	closed.Close()
	for _, test := range []struct{ about, proxy, want string }{
		{"it refuses", "http://user:canary@" + host, "the proxy " + host + ": it answered 403 Forbidden"},
		{"it is not there", "http://user:canary@" + closed.Addr().String(), "the proxy " + closed.Addr().String() + ": "},
	} {
		c := mustClient(t, api.Options{UploadURL: "https://media.example", BaseURL: "https://media.example", Key: key(testKey)})
		c.ProxyForTest(test.proxy)
		_, err := c.Upload(t.Context(), upload(sparseFile(t, 100)), nil)
		text := fmt.Sprint(err, " ", api.Hint(err))
		if !strings.Contains(text, test.want) || !strings.Contains(text, "NO_PROXY") ||
			strings.Contains(text, "canary") || job.OutcomeOf(err) != job.Unsent {
			t.Errorf("%s: %s, %s", test.about, job.OutcomeOf(err), text)
		}
	}
}

func TestUnreached(t *testing.T) {
	cert := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	for _, test := range []struct {
		err        error
		what, help string // parts of them; "" for no error
	}{
		{&net.OpError{Op: "dial", Err: &net.DNSError{Name: "secret.example", IsNotFound: true}}, "DNS does not know this name", "Check the URL"},
		{&net.DNSError{Err: "server misbehaving", IsTemporary: true}, "DNS does not answer", "the network"},
		{cert(x509.UnknownAuthorityError{}), "its certificate is not trusted (x509: certificate signed by unknown authority)", "among the system's"},
		{cert(x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"other.example"}}, Host: "media.example"}), "other.example, not media.example", "for another host"},
		{cert(x509.CertificateInvalidError{Reason: x509.Expired}), "not trusted", "Check the clock"},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "does not speak TLS", "its port"},
		{errors.New("something else"), "", ""},
		{context.Canceled, "", ""},
	} {
		what, help := api.DescribeUnreached(fmt.Errorf("around: %w", test.err))
		if (what == "") != (test.what == "") || !strings.Contains(what, test.what) ||
			!strings.Contains(help, test.help) {
			t.Errorf("%v: %q, %q", test.err, what, help)
		}
		send := &api.SendError{Op: "upload", Host: "h", Err: test.err}
		if !strings.Contains(send.Error(), test.what) || !strings.Contains(send.Hint(), test.help) {
			t.Errorf("%v is shown as %v %s", test.err, send, send.Hint())
		}
	}
}

package cli_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mediadesk/ui/uitest"
)

// finding is a line of mediadesk doctor --json.
type diagnosis struct {
	Section, Check, Text, Help string
	Status                     string `json:"verdict"`
}

// runDoctorJSON runs mediadesk doctor with a home and arguments. It returns the findings by section and
// check, such as "Addresses upload", and checks that the exit code matches the verdicts.
func runDoctorJSON(t *testing.T, home string, env []string, args ...string) map[string]diagnosis {
	t.Helper()
	cmd := exec.Command(uitest.Build(t), append([]string{"doctor", "--json"}, args...)...)
	cmd.Env = append(os.Environ(), "MEDIADESK_HOME="+home, "MEDIADESK_PRIVATE_KEY=private_x", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+home)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	found, bad := map[string]diagnosis{}, 0
	for line := range bytes.Lines(out) {
		var f diagnosis
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		found[f.Section+" "+f.Check] = f
		if f.Status == "problem" {
			bad = 1
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != bad {
		t.Errorf("exit code %d, want %d:\n%s", code, bad, out)
	}
	return found
}

// expectFinding checks the verdict of a finding, and that its text and help contain words.
func expectFinding(t *testing.T, found map[string]diagnosis, name, status, words string) {
	t.Helper()
	f := found[name]
	if f.Status != status || !strings.Contains(f.Text+"\n"+f.Help, words) {
		t.Errorf("%s: want %s and %q, got %+v", name, status, words, f)
	}
}

// authority signs certificates for one test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "An authority of tests"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().AddDate(-2, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0), KeyUsage: x509.KeyUsageCertSign,
	}}
	der := a.sign(a.cert, nil)
	var err error
	if a.cert, err = x509.ParseCertificate(der.Certificate[0]); err != nil {
		t.Fatal(err)
	}
	a.key = der.PrivateKey.(*ecdsa.PrivateKey)
	return a
}

// sign makes a key and a certificate for it, signed by the authority, or self-signed if the
// authority has no key yet.
func (a *authority) sign(c *x509.Certificate, parent *x509.Certificate) tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	signer := a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serve starts a server for 127.0.0.1 with a certificate that expires at ends, and is for otherName
// if that is not empty.
func (a *authority) serve(ends time.Time, otherName string) string {
	c := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: ends, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if otherName != "" {
		c.DNSNames = []string{otherName}
	} else {
		c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{Certificates: []tls.Certificate{a.sign(c, a.cert)}, MinVersion: tls.VersionTLS12}
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // the client reports the error
	s.StartTLS()
	a.t.Cleanup(s.Close)
	return s.URL
}

// TestDoctorCertificates: doctor reports what is wrong with a certificate, and warns of one that
// expires soon.
func TestDoctorCertificates(t *testing.T) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("no variable names the trusted certificates on this system")
	}
	known, unknown := newAuthority(t), newAuthority(t)
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	if err := os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: known.cert.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"SSL_CERT_FILE=" + trusted, "SSL_CERT_DIR=" + t.TempDir()}
	late, soon := time.Now().AddDate(0, 6, 0), time.Now().AddDate(0, 0, 3)
	for _, c := range []struct{ name, address, status, words, help string }{
		{"good", known.serve(late, ""), "ok", "TLS 1.3", ""},
		{"ends soon", known.serve(soon, ""), "warning", "answers 404", "certificate expires on " + soon.UTC().Format(time.DateOnly)},
		{"expired", known.serve(time.Now().AddDate(0, 0, -1), ""), "problem", "certificate has expired", "Check the clock"},
		{"wrong host", known.serve(late, "elsewhere.example.com"), "problem", "IP SANs", "for another host"},
		{"unknown authority", unknown.serve(late, ""), "problem", "unknown authority", "must be among the system's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := runDoctorJSON(t, t.TempDir(), env, "--upload-url", c.address)
			expectFinding(t, found, "Addresses upload", c.status, c.words)
			expectFinding(t, found, "Addresses details", c.status, c.help)
		})
	}
}

// TestDoctorClock compares the clock with the service's, in both directions.
func TestDoctorClock(t *testing.T) {
	for _, c := range []struct {
		off           time.Duration
		status, words string
	}{
		{0, "ok", "agrees"},
		{-10 * time.Hour, "warning", "ahead of the service's clock"},
		{10 * time.Hour, "warning", "behind the service's clock"},
	} {
		address := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(c.off).UTC().Format(http.TimeFormat))
		}))
		expectFinding(t, runDoctorJSON(t, t.TempDir(), nil, "--upload-url", address), "Addresses clock", c.status, c.words)
	}
}

// TestDoctorWebhooks uses a tunnel to the receiver's port and back.
func TestDoctorWebhooks(t *testing.T) {
	// A free port. No other test uses this address.
	host := "127.0.0.1"
	if runtime.GOOS == "linux" {
		host = "127.43.7.9"
	}
	free, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	receiver := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	tunnel := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: receiver})
	tunnel.ErrorLog = log.New(io.Discard, "", 0)
	through := listen(t, tunnel)
	service := listen(t, http.NotFoundHandler())
	stranger := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))

	look := func(webhook string) map[string]diagnosis {
		t.Helper()
		home := t.TempDir()
		settings := fmt.Sprintf("[webhook]\nlisten = %q\n\n[profiles.lab]\nkind = \"own\"\nupload_url = %[2]q\nbase_url = %[2]q\nwebhook_url = %[3]q\n", receiver, service, webhook)
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		return runDoctorJSON(t, home, nil, "--profile", "lab")
	}
	expectFinding(t, look(through), "Webhooks address", "ok", "leads to the receiver at "+receiver)
	expectFinding(t, look(stranger), "Webhooks address", "problem", "answers 200, but does not lead to the receiver")
	expectFinding(t, look(stranger), "Webhooks address", "problem", "Point the tunnel or proxy at "+receiver)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	expectFinding(t, look(closed.URL), "Webhooks address", "problem", "refused")

	// Another process has the port. A receiver answers 404 to paths that it has not issued.
	busy, err := net.Listen("tcp", receiver)
	if err != nil {
		t.Fatal(err)
	}
	other := &httptest.Server{Listener: busy, Config: &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute}}
	other.Start()
	defer other.Close()
	expectFinding(t, look(through), "Webhooks address", "note", "another process uses "+receiver)
}

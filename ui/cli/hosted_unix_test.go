//go:build unix

package cli_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mediadesk/ui/uitest"
)

// These are the names of the hosted service, which some clients have in their code.
const (
	uploadHost = "upload.imagekit.io"
	apiHost    = "api.imagekit.io"
)

const clientKey = "private_of_the_clients"

// served is a library behind a TLS proxy with the names of the hosted service.
type served struct {
	Address, PublicKey string

	proxy string // HOST:PORT of the TLS proxy
	roots string // file with the certificate of the proxy
}

// serveHosted serves a library until the test ends. It follows the guide for clients that have
// hosted addresses in their code.
func serveHosted(t *testing.T) (s served) {
	t.Helper()
	cmd := exec.Command(uitest.Build(t), "serve", "--ephemeral", "--addr", "127.0.0.1:0", "--host", uploadHost, "--host", apiHost, "--json")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "MEDIADESK_HOME=" + t.TempDir(), "MEDIADESK_PRIVATE_KEY=" + clientKey}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		must(t, cmd.Wait())
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err := errors.Join(err, json.Unmarshal(line, &s)); err != nil {
		t.Fatalf("the first line is %q: %v", line, err)
	}

	target, err := url.Parse(s.Address)
	must(t, err)
	certificate := hostedCertificate(t)
	proxy := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()
		r.Out.Host = r.In.Host
	}})
	proxy.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	proxy.Config.ErrorLog = log.New(io.Discard, "", 0)
	proxy.StartTLS()
	t.Cleanup(proxy.Close)
	s.proxy = proxy.Listener.Addr().String()
	s.roots = filepath.Join(t.TempDir(), "roots.pem")
	must(t, os.WriteFile(s.roots,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}), 0o600))
	return s
}

// hostedCertificate returns a certificate for the names of the hosted service.
func hostedCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{uploadHost, apiHost}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

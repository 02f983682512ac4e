//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mediadesk/api/apitest"
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
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err := errors.Join(err, json.Unmarshal(line, &s)); err != nil {
		t.Fatalf("the first line is %q: %v", line, err)
	}

	target, err := url.Parse(s.Address)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(s.roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// hostedCertificate returns a certificate for the names of the hosted service.
func hostedCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{uploadHost, apiHost}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// get sends a GET to the library and decodes its answer.
func (s served) get(t *testing.T, path string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(clientKey, "")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// install installs an npm package into a folder of the test. It skips the test if the registry
// cannot be reached.
func install(t *testing.T, name string) (dir string) {
	t.Helper()
	requireTool(t, "npm")
	dir = t.TempDir()
	cmd := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, name)
	if out, err := cmd.CombinedOutput(); err != nil {
		skipUnavailable(t, fmt.Sprintf("%s cannot be installed: %v\n%s", name, err, out))
	}
	return filepath.Join(dir, "node_modules")
}

// uploadPage uploads three files with the browser SDK and shows the answers.
const uploadPage = `<!doctype html><script type="module">
import { upload } from "/sdk.js";
const results = [];
for (const [fileName, content, extra] of [
  ["photo.png", await (await fetch("/photo.png")).blob(), { tags: ["a", "b"], onProgress: (e) => progress.push(e.loaded) }],
  ["note.txt", "aGVsbG8=", { folder: "/notes" }],
  ["again.txt", "aGVsbG8=", { token: "used" }],
  ["again.txt", "aGVsbG8=", { token: "used" }],
]) {
  var progress = [];
  const signed = await (await fetch("/sign?token=" + (extra.token ?? fileName))).json();
  try {
    const { filePath, $ResponseMetadata } = await upload({ file: content, fileName, useUniqueFileName: false, ...signed, ...extra });
    results.push([filePath, $ResponseMetadata.requestId.length, progress.length > 0].join(" "));
  } catch (error) {
    results.push(error.name + ": " + error.message);
  }
}
let listing = "";
try {
  listing = await (await fetch("https://` + apiHost + `/v1/files")).text();
} catch (error) {
  listing = error.name;
}
await fetch("/results", { method: "POST", body: JSON.stringify([...results, listing]) });
</script>`

// TestBrowserSDK: the official browser SDK uploads from a page of another origin in Chromium. That
// page can do nothing else.
func TestBrowserSDK(t *testing.T) {
	t.Parallel()
	requireEverything(t)
	requireTool(t, "chromium")
	modules := install(t, "@imagekit/javascript@5.5.1")
	s := serveHosted(t)
	results := make(chan []string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, uploadPage) })
	mux.HandleFunc("GET /sdk.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(modules, "@imagekit/javascript/dist/imagekit.esm.js"))
	})
	mux.HandleFunc("GET /photo.png", func(w http.ResponseWriter, _ *http.Request) { w.Write(apitest.PNG(400, 300)) })
	mux.HandleFunc("GET /sign", func(w http.ResponseWriter, r *http.Request) {
		token, expire := r.FormValue("token"), time.Now().Add(time.Minute).Unix()
		mac := hmac.New(sha1.New, []byte(clientKey))
		fmt.Fprint(mac, token, expire)
		json.NewEncoder(w).Encode(map[string]any{"publicKey": s.PublicKey, "token": token, "expire": expire, "signature": hex.EncodeToString(mac.Sum(nil))})
	})
	mux.HandleFunc("POST /results", func(_ http.ResponseWriter, r *http.Request) {
		var list []string
		json.NewDecoder(r.Body).Decode(&list)
		results <- list
	})
	app := httptest.NewServer(mux)
	defer app.Close()
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0",
		"--ignore-certificate-errors", fmt.Sprintf("--host-resolver-rules=MAP %s:443 %s,MAP %s:443 %s", uploadHost, s.proxy, apiHost, s.proxy), app.URL)
	messages := &bytes.Buffer{}
	cmd.Stderr, cmd.WaitDelay = messages, 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends its children
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var got []string
	select {
	case got = <-results:
		stop()
		<-ended
	case err := <-ended:
		stop()
		t.Fatalf("Chromium ended: %v\n%s", err, messages)
	}
	want := []string{"/photo.png 24 true", "/notes/note.txt 24 false", "/again.txt 24 false", "ImageKitInvalidRequestError: The token with value 'used' has been used before.", "TypeError"}
	if !slices.Equal(got, want) {
		t.Errorf("the page got %q, want %q\n%s", got, want, messages)
	}
	var files []struct {
		Name string
		Tags []string
		Size int
	}
	s.get(t, "/v1/files?sort=DESC_NAME", &files)
	if len(files) != 3 || files[0].Name != "photo.png" || files[0].Size != len(apitest.PNG(400, 300)) || strings.Join(files[0].Tags, ",") != "a,b" {
		t.Errorf("the library has %+v", files)
	}
}

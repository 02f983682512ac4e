package cli

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// lookTime is how long doctor waits for one address.
const lookTime = 8 * time.Second

// clockSkew is how far a clock may be off before it matters.
const clockSkew = time.Minute

// looked is what one request to a host showed.
type looked struct {
	dns, connect, secure, answer time.Duration
	addresses                    int
	version                      uint16
	expires                      time.Time
	status                       int
	date                         time.Time
	skew                         time.Duration
	err                          error
}

// addresses asks each host of the profile for its headers, without the key and
// without sending anything.
func (d *doctor) addresses(ctx context.Context) {
	if proxy := firstSet(d.p.Getenv, "HTTPS_PROXY", "https_proxy"); proxy != "" {
		d.say(verdictNote, "proxy", "", "HTTPS_PROXY is set: https goes through %s", hostOf(proxy))
	}
	if d.profile.Kind == config.KindLocal {
		d.say(verdictOK, "addresses", "", "the local library is in this program: no network is used")
		d.say(verdictNote, "clock", "", "%s here; no other clock to compare it with", time.Now().UTC().Format(time.RFC3339))
		return
	}
	checks := []struct{ name, address string }{
		{"upload", d.profile.UploadURL}, {"details", d.profile.BaseURL}, {"delivery", d.profile.DeliveryURL},
	}
	found := make([]looked, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		if c.address != "" {
			all.Go(func() { found[i] = look(ctx, c.address) })
		}
	}
	all.Wait()
	var clock *looked
	for i, c := range checks {
		if c.address == "" {
			d.say(verdictNote, c.name, "", "no address is set: pictures of stored files cannot be fetched")
			continue
		}
		d.sayLooked(c.name, c.address, found[i])
		if clock == nil && !found[i].date.IsZero() {
			clock = &found[i]
		}
	}
	switch {
	case clock == nil:
		d.say(verdictNote, "clock", "", "%s here; no service said what time it is", time.Now().UTC().Format(time.RFC3339))
	case clock.skew.Abs() > clockSkew:
		way := "ahead of"
		if clock.skew < 0 {
			way = "behind"
		}
		d.say(verdictWarn, "clock", "Set it: signed addresses and certificates depend on it.", "the clock of this computer is %s %s that of the service", text.Duration(clock.skew.Abs()), way)
	default:
		d.say(verdictOK, "clock", "", "agrees with the service's to the minute")
	}
}

func (d *doctor) sayLooked(name, address string, l looked) {
	host := hostOf(address)
	if l.err != nil {
		d.say(verdictBad, name, lookHelp(l.err), "%s: %s", host, lookWords(l.err))
		return
	}
	parts := []string{fmt.Sprintf("answers %d", l.status)}
	if l.addresses > 0 {
		parts = append(parts, fmt.Sprintf("DNS %s", millis(l.dns)))
	}
	parts = append(parts, "connect "+millis(l.connect))
	if l.version != 0 {
		parts = append(parts, fmt.Sprintf("%s %s", tls.VersionName(l.version), millis(l.secure)))
	}
	parts = append(parts, "first byte "+millis(l.answer))
	verdict, help := verdictOK, ""
	if left := time.Until(l.expires); l.version != 0 && left < 14*24*time.Hour {
		verdict, help = verdictWarn, "Its certificate ends on "+l.expires.Format(time.DateOnly)+"."
	}
	d.say(verdict, name, help, "%s: %s", host, strings.Join(parts, ", "))
}

// look asks for the headers of an address. Any answer will do: it is about the
// way there.
func look(ctx context.Context, address string) looked {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var mu sync.Mutex // what is traced can come after the answer
	var l looked
	var began, dns, connect, secure time.Time
	note := func(what func()) {
		mu.Lock()
		defer mu.Unlock()
		what()
	}
	resolving := false
	began = time.Now()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { note(func() { dns, resolving = time.Now(), true }) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			note(func() { l.dns, l.addresses, resolving = time.Since(dns), len(i.Addrs), false })
		},
		GetConn:           func(string) { note(func() { connect = time.Now() }) },
		GotConn:           func(httptrace.GotConnInfo) { note(func() { l.connect = time.Since(connect) }) },
		TLSHandshakeStart: func() { note(func() { secure = time.Now() }) },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { note(func() { l.secure = time.Since(secure) }) },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return looked{err: err}
	}
	res, err := looker().Do(req)
	mu.Lock()
	defer mu.Unlock()
	if err != nil {
		if resolving && errors.Is(err, context.DeadlineExceeded) {
			err = &net.DNSError{Err: "no answer", IsTimeout: true}
		}
		return looked{err: err}
	}
	defer res.Body.Close()
	l.answer, l.status = time.Since(began), res.StatusCode
	if res.TLS != nil {
		l.version = res.TLS.Version
		if len(res.TLS.PeerCertificates) > 0 {
			l.expires = res.TLS.PeerCertificates[0].NotAfter
		}
	}
	if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		l.date, l.skew = at, time.Since(at)
	}
	return l
}

// looker is a client that follows no redirect and keeps no connection.
func looker() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: lookTime},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// lookWords says what went wrong on the way, without the address, which may
// have an account in it.
func lookWords(err error) string {
	if what, _ := api.Unreached(err); what != "" {
		return what
	}
	var wrapped *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer within " + lookTime.String()
	case errors.As(err, &wrapped):
		return wrapped.Err.Error()
	}
	return err.Error()
}

func lookHelp(err error) string {
	if _, help := api.Unreached(err); help != "" {
		return help
	}
	return "Check the address, the network and, behind a proxy, HTTPS_PROXY."
}

// webhooks looks whether word of ended extensions can come in.
func (d *doctor) webhooks(ctx context.Context) {
	listen := d.settings.Webhook.Listen
	own := d.profile.WebhookURL == ""
	switch {
	case own && (d.profile.Kind == config.KindLocal || api.IsPrivateHost(d.profile.UploadURL)):
		d.canListen("receiver", listen, "Another mediadesk may use it. Set listen in [webhook] to another port where it is a stranger.")
		d.say(verdictOK, "address", "", "the service is in reach of this computer: it posts to the receiver itself")
	case own:
		d.canListen("receiver", listen, "Another mediadesk may use it. Set listen in [webhook] to another port where it is a stranger.")
		d.say(verdictNote, "address", "Set webhook_url of the profile to a public address in front of the receiver, such as a tunnel.",
			"none is set: this service cannot reach this computer, so ended extensions are found by looking at the file")
	default:
		d.publicAddress(ctx, listen)
	}
	if d.profile.Kind != config.KindLocal {
		d.signature()
	}
}

// signature says whether posts are checked, and whether they can be.
func (d *doctor) signature() {
	secret, err := d.keys.WebhookSecret(d.profile)
	d.secrets.Add(secret)
	switch {
	case err != nil:
		d.say(verdictBad, "signature", "Name a file that only you can read: mediadesk profile add NAME --webhook-secret-file FILE", "%v", err)
	case secret.IsZero():
		d.say(verdictOK, "signature", "", "no secret is set: a post is believed for its address, which nobody can guess")
	case d.profile.WebhookSecretFile != "":
		d.say(verdictOK, "signature", "", "posts are checked with the secret in %s; others are kept and not believed", d.profile.WebhookSecretFile)
	default:
		d.say(verdictOK, "signature", "", "posts are checked with the secret in %s; others are kept and not believed", config.SecretVariable)
	}
}

// publicAddress goes once around: from here to the public address and back to
// the receiver's port.
func (d *doctor) publicAddress(ctx context.Context, listen string) {
	host := hostOf(d.profile.WebhookURL)
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	word := rand.Text()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err == nil {
		server := &http.Server{ReadHeaderTimeout: lookTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, word) })}
		var served sync.WaitGroup
		served.Go(func() { _ = server.Serve(listener) })
		defer served.Wait()
		defer server.Close()
	}
	req, problem := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(d.profile.WebhookURL, "/")+"/hook/doctor", nil)
	if problem != nil {
		d.say(verdictBad, "address", "", "%s: %v", host, problem)
		return
	}
	res, problem := looker().Do(req)
	if problem != nil {
		d.say(verdictBad, "address", lookHelp(problem), "%s: %s", host, lookWords(problem))
		return
	}
	defer res.Body.Close()
	body, problem := io.ReadAll(io.LimitReader(res.Body, 1024))
	switch {
	case err == nil && problem == nil && string(body) == word:
		d.say(verdictOK, "address", "", "%s leads to the receiver at %s", host, listen)
	case err != nil && res.StatusCode == http.StatusNotFound:
		d.say(verdictNote, "address", "", "%s answers 404, as a running receiver does; another process has %s", host, listen)
	default:
		d.say(verdictBad, "address", "Point the tunnel or proxy at "+listen+".", "%s answers %d, but does not lead to the receiver at %s", host, res.StatusCode, listen)
	}
}

// canListen tries an address to listen on.
func (d *doctor) canListen(check, address, help string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		d.say(verdictNote, check, help, "%s is in use or cannot be listened on", address)
		return
	}
	_ = listener.Close()
	d.say(verdictOK, check, "", "%s is free to listen on", address)
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "(an address that cannot be read)"
}

func firstSet(getenv func(string) string, names ...string) string {
	for _, n := range names {
		if v := getenv(n); v != "" {
			return v
		}
	}
	return ""
}

func millis(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

package cli

import (
	"cmp"
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

// addressTimeout limits the wait for one address.
const addressTimeout = 8 * time.Second

// clockSkew is the tolerated difference between clocks.
const clockSkew = time.Minute

// answer is the result of one request to a host.
type answer struct {
	status int
	phases []string // with their times
	tls    *tls.ConnectionState
	date   time.Time // clock of the host; zero if not given
	skew   time.Duration
	err    error
}

// addresses requests the headers of each host of the profile, without the key.
func (d *doctor) addresses(ctx context.Context) {
	if proxy := cmp.Or(d.p.Getenv("HTTPS_PROXY"), d.p.Getenv("https_proxy")); proxy != "" {
		d.say(verdictNote, "proxy", "", "HTTPS_PROXY is set: https goes through %s", hostOf(proxy))
	}
	now := time.Now().UTC().Format(time.RFC3339)
	if d.profile.Kind == config.KindLocal {
		d.say(verdictOK, "addresses", "", "the local library is in this program: no network is used")
		d.say(verdictNote, "clock", "", "%s here; no other clock to compare with", now)
		return
	}
	checks := []struct{ name, address string }{
		{"upload", d.profile.UploadURL}, {"details", d.profile.BaseURL}, {"delivery", d.profile.DeliveryURL},
	}
	answers := make([]answer, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		if c.address != "" {
			all.Go(func() { answers[i] = tryAddress(ctx, c.address) })
		}
	}
	all.Wait()
	var clock *answer
	for i, c := range checks {
		if c.address == "" {
			d.say(verdictNote, c.name, "", "no address is set: images of stored files cannot be fetched")
			continue
		}
		d.sayAnswer(c.name, c.address, answers[i])
		if clock == nil && !answers[i].date.IsZero() {
			clock = &answers[i]
		}
	}
	switch {
	case clock == nil:
		d.say(verdictNote, "clock", "", "%s here; no service reported its time", now)
	case clock.skew.Abs() > clockSkew:
		way := "ahead of"
		if clock.skew < 0 {
			way = "behind"
		}
		d.say(verdictWarn, "clock", "Set it: signed addresses and certificates depend on it.", "the clock of this computer is %s %s the service's clock", text.Duration(clock.skew.Abs()), way)
	default:
		d.say(verdictOK, "clock", "", "agrees with the clock of the service to the minute")
	}
}

func (d *doctor) sayAnswer(name, address string, a answer) {
	host := hostOf(address)
	if a.err != nil {
		d.say(verdictBad, name, helpForAddress(a.err), "%s: %s", host, describeFailure(a.err))
		return
	}
	verdict, help := verdictOK, ""
	parts := []string{fmt.Sprintf("answers %d", a.status)}
	if a.tls != nil {
		parts = append(parts, tls.VersionName(a.tls.Version))
		if expires := a.tls.PeerCertificates[0].NotAfter; time.Until(expires) < 14*24*time.Hour {
			verdict, help = verdictWarn, "Its certificate expires on "+expires.Format(time.DateOnly)+"."
		}
	}
	d.say(verdict, name, help, "%s: %s", host, strings.Join(append(parts, a.phases...), ", "))
}

// tryAddress requests the headers of an address. Any answer shows that it is reachable.
func tryAddress(ctx context.Context, address string) answer {
	ctx, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	var mu sync.Mutex // events can follow the answer
	var phases []string
	started := map[string]time.Time{}
	resolving := false
	begin := func(phase string) {
		mu.Lock()
		defer mu.Unlock()
		started[phase], resolving = time.Now(), phase == "DNS"
	}
	end := func(phase string) {
		mu.Lock()
		defer mu.Unlock()
		phases, resolving = append(phases, fmt.Sprintf("%s %d ms", phase, time.Since(started[phase]).Milliseconds())), false
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:             func(httptrace.DNSStartInfo) { begin("DNS") },
		DNSDone:              func(httptrace.DNSDoneInfo) { end("DNS") },
		GetConn:              func(string) { begin("connect") },
		GotConn:              func(httptrace.GotConnInfo) { end("connect"); begin("first byte") },
		GotFirstResponseByte: func() { end("first byte") },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return answer{err: err}
	}
	res, err := plainClient().Do(req)
	mu.Lock()
	defer mu.Unlock()
	if err != nil {
		if resolving && errors.Is(err, context.DeadlineExceeded) {
			err = &net.DNSError{Err: "no answer", IsTimeout: true}
		}
		return answer{err: err}
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, phases: phases, tls: res.TLS}
	if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		a.date, a.skew = at, time.Since(at)
	}
	return a
}

// plainClient follows no redirects and keeps no connections.
func plainClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: addressTimeout},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// describeFailure describes a failed request without its address, which may contain an account.
func describeFailure(err error) string {
	if what, _ := api.Unreached(err); what != "" {
		return what
	}
	var wrapped *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer within " + addressTimeout.String()
	case errors.As(err, &wrapped):
		return wrapped.Err.Error()
	}
	return err.Error()
}

func helpForAddress(err error) string {
	_, help := api.Unreached(err)
	return cmp.Or(help, "Check the address, the network and, behind a proxy, HTTPS_PROXY.")
}

// webhooks checks whether the service can report finished extensions.
func (d *doctor) webhooks(ctx context.Context) {
	listen := d.settings.Webhook.Listen
	own := d.profile.WebhookURL == ""
	switch {
	case own && (d.profile.Kind == config.KindLocal || api.IsPrivateHost(d.profile.UploadURL)):
		d.canListen("receiver", listen, "Another mediadesk may use it. If another program does, set listen in [webhook] to another port.")
		d.say(verdictOK, "address", "", "the service can reach this computer and posts to the receiver")
	case own:
		d.canListen("receiver", listen, "Another mediadesk may use it. If another program does, set listen in [webhook] to another port.")
		d.say(verdictNote, "address", "Set webhook_url of the profile to a public address in front of the receiver, such as a tunnel.",
			"none is set: the service cannot reach this computer, so mediadesk polls the file for results")
	default:
		d.publicAddress(ctx, listen)
	}
	if d.profile.Kind != config.KindLocal {
		d.signature()
	}
}

// signature reports whether signatures of posts are verified.
func (d *doctor) signature() {
	secrets, err := d.keys.WebhookSecrets(d.profile)
	for _, secret := range secrets {
		d.secrets.Add(secret)
	}
	switch {
	case err != nil:
		d.say(verdictBad, "signature", "Name a file that only you can read: mediadesk profile add NAME --webhook-secret-file FILE", "%v", err)
	case len(secrets) == 0:
		d.say(verdictOK, "signature", "", "no secret is set: posts are accepted by their address, which nobody can guess")
	default:
		d.say(verdictOK, "signature", "", "posts are verified with the secrets in %s; others are kept but ignored", cmp.Or(d.profile.WebhookSecretFile, config.SecretVariable))
	}
}

// publicAddress requests the public address and expects the request at the receiver's port.
func (d *doctor) publicAddress(ctx context.Context, listen string) {
	host := hostOf(d.profile.WebhookURL)
	ctx, cancel := context.WithTimeout(ctx, addressTimeout)
	defer cancel()
	secret := rand.Text()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err == nil {
		server := &http.Server{ReadHeaderTimeout: addressTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, secret) })}
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
	res, problem := plainClient().Do(req)
	if problem != nil {
		d.say(verdictBad, "address", helpForAddress(problem), "%s: %s", host, describeFailure(problem))
		return
	}
	defer res.Body.Close()
	body, problem := io.ReadAll(io.LimitReader(res.Body, 1024))
	switch {
	case err == nil && problem == nil && string(body) == secret:
		d.say(verdictOK, "address", "", "%s leads to the receiver at %s", host, listen)
	case err != nil && res.StatusCode == http.StatusNotFound:
		d.say(verdictNote, "address", "", "%s answers 404 like a running receiver; another process uses %s", host, listen)
	default:
		d.say(verdictBad, "address", "Point the tunnel or proxy at "+listen+".", "%s answers %d, but does not lead to the receiver at %s", host, res.StatusCode, listen)
	}
}

// canListen checks whether an address is free to listen on.
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

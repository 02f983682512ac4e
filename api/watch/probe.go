package watch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mediadesk/api"
)

// probeTimeout is the time limit for testing an address. Services wait longer.
const probeTimeout = 15 * time.Second

// Probe posts to the public address of the receiver, as a service would, and returns an error if the
// post does not arrive or its answer does not come back.
func (w *Watch) Probe(ctx context.Context, public string) error {
	listening := w.Addr()
	if listening == "" {
		return errors.Join(ErrNoReceiver, w.Err())
	}
	base := strings.TrimRight(public, "/")
	if err := api.CheckWebhookURL(base); err != nil {
		return err
	}
	token := newToken()
	w.mu.Lock()
	w.probes[token] = false
	w.mu.Unlock()
	answer, err := postProbe(ctx, base+hookPath+token)
	w.mu.Lock()
	arrived := w.probes[token]
	delete(w.probes, token)
	w.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && arrived && strings.HasPrefix(answer, "200"):
		return nil
	case err != nil:
		answer = err.Error()
	}
	text := fmt.Sprintf("a post to %s does not arrive here: %s", base, answer)
	if arrived {
		text = fmt.Sprintf("the post arrived here, but %s did not pass the answer on: %s", base, answer)
	}
	return api.WithHint(errors.New(text), "The tunnel must lead to http://"+listening+
		", keep the path, ask for no password, and pass answers on. Is it running?")
}

// probed reports whether a token is one of Probe, and notes that its post arrived.
func (w *Watch) probed(token string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ours := w.probes[token]
	if ours {
		w.probes[token] = true
	}
	return ours
}

// postProbe posts as a service would, and returns the status of the answer.
func postProbe(ctx context.Context, address string) (status string, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	// Some tunnels show a warning page to browsers.
	req.Header.Set("User-Agent", "mediadesk-probe")
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return "", errors.Unwrap(err) // without the address, which is secret
	}
	return res.Status, res.Body.Close()
}

package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mediadesk/api"
)

// probeTime is the time limit for testing an address. Services wait longer.
const probeTime = 15 * time.Second

// Probe posts to the public address of the receiver, as a service would. It returns nil if the request
// arrived, otherwise the reason, usually with a hint. It saves nothing permanently.
func (w *Watch) Probe(ctx context.Context, public string) error {
	listening := w.Addr()
	if listening == "" {
		return ErrNoReceiver
	}
	base := strings.TrimRight(public, "/")
	if err := api.CheckWebhookURL(base); err != nil {
		return err
	}
	// Saving the address lets the receiver of another mediadesk with the same journal accept the request,
	// as it accepts real webhooks.
	token := newToken()
	hash, now := sha256.Sum256([]byte(token)), w.o.Now()
	if err := w.o.Journal.AddHook(ctx, api.Hook{Hash: hash, Made: now, Expires: now.Add(2 * probeTime)}); err != nil {
		return err
	}
	answer, failed := postProbe(ctx, base+hookPath+token)
	arrived, err := w.o.Journal.EndProbe(context.WithoutCancel(ctx), hash)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case failed != nil && !arrived:
		return unreached(base, listening, failed)
	case !arrived:
		return fromOtherProgram(base, listening, answer)
	case failed != nil || answer.code != http.StatusOK:
		return &api.HintedError{
			Err:  fmt.Errorf("the post arrived here, but %s did not pass the answer on", base),
			Help: "A service takes anything but 200 as not delivered. Let the tunnel pass answers on as they are.",
		}
	}
	return nil
}

// answered is the answer to a probe.
type answered struct {
	code   int
	status string // code and text
}

// postProbe posts as a service would.
func postProbe(ctx context.Context, address string) (answered, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		return answered{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	// Some tunnels show a page of their own to browsers.
	req.Header.Set("User-Agent", "mediadesk-probe")
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return answered{}, err
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 4<<10)) //nolint:errcheck // the content does not matter
	return answered{res.StatusCode, res.Status}, nil
}

// unreached describes an error without an answer.
func unreached(base, listening string, err error) error {
	text := "nothing answers at " + base
	if errors.Is(err, context.DeadlineExceeded) {
		text = fmt.Sprintf("no answer from %s within %s", base, probeTime)
	}
	return &api.HintedError{Err: errors.New(text), Help: "Is the tunnel running? It has to lead to http://" + listening + "."}
}

// fromOtherProgram describes an answer from another program.
func fromOtherProgram(base, listening string, res answered) error {
	text := fmt.Sprintf("something else answers at %s: %s", base, res.status)
	help := "The tunnel has to lead to http://" + listening + " with the path as it is."
	switch {
	case res.code >= 300 && res.code < 400:
		text = fmt.Sprintf("%s sends elsewhere (%s)", base, res.status)
		help = "Services do not follow that. Give the address that it sends to, or switch the redirect off."
	case res.code == http.StatusBadGateway || res.code == http.StatusServiceUnavailable || res.code == http.StatusGatewayTimeout:
		text = fmt.Sprintf("the tunnel of %s runs, but does not reach this receiver: %s", base, res.status)
	case res.code == http.StatusUnauthorized || res.code == http.StatusForbidden:
		text = fmt.Sprintf("%s asks who is there: %s", base, res.status)
		help = "A service has no password for it. Let posts to /hook/ pass without one; each address is a secret of its own."
	case res.code == http.StatusNotFound:
		text = fmt.Sprintf("%s answers that it knows no such address", base)
		help = "It leads to something else, perhaps to another mediadesk. It has to lead to http://" + listening + "."
	}
	return &api.HintedError{Err: errors.New(text), Help: help}
}

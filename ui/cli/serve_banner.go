package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"mediadesk/api/local"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// banner describes the library at the start: where it is, how to try it, and how to configure an
// SDK.
func (s *serveFlags) banner(version, address string, o local.Options, key serveKey) string {
	shown := text.Safe(key.source)
	sdk := "process.env.MEDIADESK_PRIVATE_KEY"
	if key.plain {
		shown, sdk = key.shell, fmt.Sprintf("%q", key.shell)
	}
	python, golang := "key", "key"
	if key.plain {
		python, golang = sdk, sdk
	}
	return fmt.Sprintf(`mediadesk %[1]s serves a media library.

  address     %[2]s
%[3]s  key         %[4]s
  public key  %[9]s

Try it:

  echo hello | curl -u "%[5]s:" -F file=@- -F fileName=hello.txt %[2]s/api/v1/files/upload

SDKs:

  Node    new ImageKit({ baseURL: "%[2]s", privateKey: %[6]s })
  Python  ImageKit(base_url="%[2]s", private_key=%[7]s)
  Go      imagekit.NewClient(option.WithBaseURL("%[2]s"), option.WithPrivateKey(%[8]s))

Press ctrl+c to stop.
`, version, address, s.places(o, 12), shown, text.Safe(key.shell), sdk, python, golang, local.PublicKey(key.secret))
}

// places returns a line for each place of the library o: its folder, its database and its storage.
// The names take width columns.
func (s *serveFlags) places(o local.Options, width int) string {
	kept := ""
	if s.ephemeral {
		kept = " (removed at the end)"
	}
	var b strings.Builder
	line := func(name, place string) { fmt.Fprintf(&b, "  %-*s%s\n", width, name, text.Safe(place)) }
	if o.Dir != "" {
		line("folder", o.Dir+kept)
	}
	if o.Database != "" {
		line("records", config.ShownDatabase(o.Database))
	}
	if o.Storage != "" {
		line("contents", o.ShownStorage())
	}
	return b.String()
}

// serviceLog logs failures to the program's log and standard error, without the key.
func (s *serveFlags) serviceLog(p *Program, key config.Secret) *slog.Logger {
	secrets := p.Options.Secrets
	if secrets == nil {
		secrets = new(config.Redactor)
	}
	if s.key == "" { // a key such as dev is not secret and may be part of words
		secrets.Add(key)
	}
	to := secrets.Writer(p.Stderr)
	var stderr slog.Handler = slog.NewTextHandler(to, nil)
	if s.jsonLog {
		stderr = slog.NewJSONHandler(to, nil)
	}
	return slog.New(slog.NewMultiHandler(slog.Default().Handler(), stderr))
}

// requestLog returns the function that logs requests, or nil.
func (s *serveFlags) requestLog(p *Program) (func(local.Request), error) {
	level := s.log
	switch {
	case level != "":
	case p.TerminalOut || s.jsonLog:
		level = "requests"
	default:
		level = "none"
	}
	switch level {
	case "none":
		return nil, nil
	case "requests", "debug":
	default:
		return nil, fmt.Errorf("--log %q is not none, requests or debug", s.log)
	}
	debug := level == "debug"
	var mu sync.Mutex
	return func(r local.Request) {
		line := requestLine(r, debug)
		if s.jsonLog {
			line = requestJSON(r, debug)
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(p.Stderr, line)
	}, nil
}

// requestLine describes a request for people.
func requestLine(r local.Request, debug bool) string {
	status := fmt.Sprint(r.Status)
	if r.Status == 0 {
		status = "---" // the connection broke
	}
	line := fmt.Sprintf("%s %s %-6s %s  %.1f ms  %s  %s", r.Time.Local().Format(time.TimeOnly), status, text.Safe(r.Method), text.Safe(r.Path), r.Millis, text.Bytes(r.Size), r.ID)
	if debug {
		line += fmt.Sprintf("\n    query %q, agent %q", r.Query, r.Agent)
	}
	return line
}

// requestJSON describes a request as JSON.
func requestJSON(r local.Request, debug bool) string {
	line := struct {
		local.Request
		Query string `json:"query,omitempty"`
		Agent string `json:"agent,omitempty"`
	}{Request: r}
	if debug {
		line.Query, line.Agent = r.Query, r.Agent
	}
	b, err := json.Marshal(line)
	if err != nil {
		return fmt.Sprintf(`{"error":%q}`, err)
	}
	return string(b)
}

// healthWait limits the wait of --health.
const healthWait = 5 * time.Second

// askHealth checks whether the library at addr works.
func askHealth(ctx context.Context, p *Program, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return usage("--addr takes HOST:PORT, not %q", addr)
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/_mediadesk/health", nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the library does not answer: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the library at %s answers %s", addr, res.Status)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Stdout, text.Safe(strings.TrimSpace(string(body))))
	return err
}

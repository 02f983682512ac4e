package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"mediadesk/api/local"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// banner describes the library at the start: where it is, and how to try it.
func (s *serveFlags) banner(address string, key serveKey) string {
	shown := text.Either(key.plain, key.shell, text.Safe(key.source))
	return fmt.Sprintf(`mediadesk %[1]s serves a media library.

  address     %[2]s
%[3]s  key         %[4]s
  public key  %[5]s

Try it:

  echo hello | curl -u "%[6]s:" -F file=@- -F fileName=hello.txt %[2]s/api/v1/files/upload

Press ctrl+c to stop.
`, s.Version, address, s.places(12), shown, local.PublicKey(key.secret), text.Safe(key.shell))
}

// places returns a line for each place of the library: its folder, its database and its storage.
// The names take width columns.
func (s *serveFlags) places(width int) string {
	var b strings.Builder
	line := func(name, place string) { fmt.Fprintf(&b, "  %-*s%s\n", width, name, text.Safe(place)) }
	if s.Dir != "" {
		line("folder", s.Dir+text.If(s.ephemeral, " (removed at the end)"))
	}
	if s.Database != "" {
		line("records", config.ShownDatabase(s.Database))
	}
	if s.Storage != "" {
		line("contents", s.ShownStorage())
	}
	return b.String()
}

// requestLog returns what logs requests; nil for --log none.
func (s *serveFlags) requestLog(p *Program) (func(local.Request), error) {
	level := cmp.Or(s.log, text.If(p.TerminalOut, "requests"), "none")
	if level == "none" {
		return nil, nil
	}
	if level != "requests" {
		return nil, fmt.Errorf("--log %q is not none or requests", s.log)
	}
	var mu sync.Mutex
	return func(r local.Request) {
		mu.Lock()
		defer mu.Unlock()
		status := text.Either(r.Status == 0, "---", strconv.Itoa(r.Status)) // 0: the connection broke
		target := text.Safe(r.Path + text.If(r.Query != "", "?"+r.Query))
		at := r.Time.Local().Format(time.TimeOnly)
		fmt.Fprintf(p.Stderr, "%s %s %-6s %s  %.1f ms  %s  %s\n", at, status,
			text.Safe(r.Method), target, r.Millis, text.Bytes(r.Size), r.ID)
	}, nil
}

func askHealth(ctx context.Context, p *Program, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return usage("--addr takes HOST:PORT, not %q", addr)
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	health := "http://" + net.JoinHostPort(host, port) + "/_mediadesk/health"
	status, body, err := request(ctx, http.MethodGet, health)
	switch {
	case err != nil:
		return fmt.Errorf("the library does not answer: %w", err)
	case status != http.StatusOK:
		return fmt.Errorf("the library at %s answers %d %s", addr, status, http.StatusText(status))
	}
	_, err = fmt.Fprintln(p.Stdout, text.Safe(strings.TrimSpace(body)))
	return err
}

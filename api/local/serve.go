package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mediadesk/api/atomicfile"
	"mediadesk/api/rule"
)

// Server serves a library over HTTP.
type Server struct {
	Address string // base URL without a trailing slash
	Library *Library

	http   *http.Server
	served chan error
	ended  context.CancelFunc // forgets the context
	close  func() error
}

type owner struct {
	Address  string `json:"address"`
	PID      int    `json:"pid"`
	Identity string `json:"identity"`
	Dir      string `json:"dir"` // the folder itself; in a copied folder it does not match
}

func ownerPath(dir string) string { return filepath.Join(dir, "owner.json") }

// Serve opens the library of o and serves it at addr (host:port; port 0 picks a free one) until
// Close or the end of ctx. It listens beyond this computer only if addr names such an address.
// Errors are those of Open and of listening.
func Serve(ctx context.Context, addr string, o Options) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	l, err := Open(ctx, o)
	if err != nil {
		listener.Close()
		return nil, err
	}
	local := listener.Addr().(*net.TCPAddr)
	l.public.Store(!local.IP.IsLoopback())
	if l.public.Load() { // then it has the names of this computer and the one in addr
		host, _, _ := net.SplitHostPort(addr)
		l.allowHosts(host)
		if name, err := os.Hostname(); err == nil {
			short, _, _ := strings.Cut(name, ".")
			l.allowHosts(name, short, short+".local")
		}
	}
	host := local.IP.String()
	if local.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	address := "http://" + net.JoinHostPort(host, fmt.Sprint(local.Port))
	if o.Address == "" {
		l.setAddress(address)
	}
	s := &Server{
		Address: address, Library: l, served: make(chan error, 1),
		http: &http.Server{
			Handler: l, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: l.o.idleTimeout,
			MaxHeaderBytes: maxHeader,
			// The default logger would write over the terminal.
			ErrorLog: slog.NewLogLogger(l.log.Handler(), slog.LevelWarn),
		},
	}
	s.close = sync.OnceValue(s.shutdown)
	// A full disk is no reason to fail: reading and deleting still work.
	if err := s.writeOwner(); err != nil {
		l.log.Warn("other processes cannot find this library", "error", err)
	}
	l.work.Go(func() { s.served <- s.http.Serve(listener) })
	ctx, s.ended = context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { s.Close() })
	return s, nil
}

// Public reports whether the server listens beyond this computer.
func (s *Server) Public() bool { return s.Library.public.Load() }

func (s *Server) writeOwner() error {
	if s.Library.o.many() {
		return nil
	}
	dir, err := filepath.Abs(s.Library.o.Dir)
	if err != nil {
		return err
	}
	text := encode(owner{s.Address, os.Getpid(), s.Library.identity, dir})
	return atomicfile.WriteFile(ownerPath(s.Library.o.Dir), text, 0o600)
}

// Close stops listening, gives requests in progress a few seconds, and closes the library.
func (s *Server) Close() error { return s.close() }

func (s *Server) shutdown() error {
	s.ended()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if !s.Library.o.many() {
		os.Remove(ownerPath(s.Library.o.Dir))
	}
	return errors.Join(err, s.Library.Close())
}

// Find returns the address of the process that serves the library in dir, and the faults that it
// injects in the format of Fault.String. It verifies that the answer comes from the process that
// wrote owner.json.
func Find(dir string) (address, faults string, ok bool) {
	text, err := os.ReadFile(ownerPath(dir))
	var recorded owner
	if err != nil || json.Unmarshal(text, &recorded) != nil || recorded.Identity == "" ||
		rule.CheckSourceURL(recorded.Address) != nil {
		return "", "", false
	}
	here, _ := os.Stat(dir)
	if there, err := os.Stat(recorded.Dir); err != nil || !os.SameFile(here, there) {
		return "", "", false
	}
	client := &http.Client{
		Timeout:       3 * time.Second,
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Get(strings.TrimRight(recorded.Address, "/") + identityPath)
	if err != nil {
		return "", "", false
	}
	defer res.Body.Close()
	var answer identity
	if json.NewDecoder(io.LimitReader(res.Body, 4<<10)).Decode(&answer) != nil ||
		answer.Identity != recorded.Identity {
		return "", "", false
	}
	return recorded.Address, answer.Faults, true
}

// Intervals at which a standby checks owner.json, and the serving process itself.
const (
	standbyInterval    = 250 * time.Millisecond
	standbyAskInterval = time.Second
)

// Standby serves a library when the serving process ends.
type Standby struct {
	stop context.CancelFunc
	done sync.WaitGroup

	server *Server // nil until needed
}

// StandBy waits until the process that serves the library of o at address ends or crashes, and
// then serves it at the same address. Users notice a pause, and pending work continues. Of several
// standbys one takes over and the others keep waiting. It calls changed with the faults of the
// process that serves, in the format of Fault.String, whenever they may have changed.
func StandBy(address string, o Options, changed func(faults string)) *Standby {
	ctx, stop := context.WithCancel(context.Background())
	s := &Standby{stop: stop}
	s.done.Go(func() { s.wait(ctx, address, o, changed) })
	return s
}

func (s *Standby) wait(ctx context.Context, address string, o Options, changed func(string)) {
	u, err := url.Parse(address)
	if err != nil {
		return // no client could use it
	}
	tick := time.NewTicker(standbyInterval)
	defer tick.Stop()
	var requested time.Time
	var known, failed string
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := os.Stat(ownerPath(o.Dir)); err == nil {
			if time.Since(requested) < standbyAskInterval {
				continue
			}
			requested = time.Now()
			if _, faults, served := Find(o.Dir); served {
				if faults != known {
					known = faults
					changed(faults)
				}
				continue
			}
		}
		// Try again if another process has the folder or the port.
		if s.server, err = Serve(context.WithoutCancel(ctx), u.Host, o); err == nil {
			changed(o.Fault.String())
			return
		}
		if failed != err.Error() {
			failed = err.Error()
			cmp.Or(o.Log, slog.Default()).Warn("this process cannot serve the library yet", "error", err)
		}
	}
}

// Close stops waiting or serving.
func (s *Standby) Close() error {
	s.stop()
	s.done.Wait()
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}

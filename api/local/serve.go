package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
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

	http     *http.Server
	served   chan error
	finished chan struct{}
	close    func() error
}

// owner is the content of owner.json in a library's folder.
type owner struct {
	Address  string `json:"address"`
	PID      int    `json:"pid"`
	Identity string `json:"identity"`
	Dir      string `json:"dir"` // the folder itself; in a copied folder it does not match
}

func ownerPath(dir string) string { return filepath.Join(dir, "owner.json") }

// diskProcessors is the least GOMAXPROCS of a server with a library in a folder. A goroutine that
// waits for the disk keeps its processor until the runtime notices. With one for each of 2 cores,
// 16 connections upload 30 % fewer files in a second, and pages beside 8 of them take twice as
// long.
const diskProcessors = 8

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
	if o.Storage == "" && os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < diskProcessors {
		runtime.GOMAXPROCS(diskProcessors)
	}
	local := listener.Addr().(*net.TCPAddr)
	l.public.Store(!local.IP.IsLoopback())
	if l.public.Load() {
		l.allowMachine(addr)
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
		Address: address, Library: l, served: make(chan error, 1), finished: make(chan struct{}),
		http: &http.Server{
			Handler: l, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: l.o.idleTimeout, MaxHeaderBytes: 8 * maxHeader,
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
	go func() {
		select {
		case <-ctx.Done():
			s.Close()
		case <-s.finished:
		}
	}()
	return s, nil
}

// Public reports whether the server listens beyond this computer.
func (s *Server) Public() bool { return s.Library.public.Load() }

// writeOwner writes owner.json, by which other processes find this one.
func (s *Server) writeOwner() error {
	if s.Library.o.many() {
		return nil
	}
	dir, err := filepath.Abs(s.Library.o.Dir)
	if err != nil {
		return err
	}
	text, err := json.Marshal(owner{Address: s.Address, PID: os.Getpid(), Identity: s.Library.identity, Dir: dir})
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(ownerPath(s.Library.o.Dir), text, 0o600); err != nil {
		return fmt.Errorf("write the address of the running library: %w", err)
	}
	return nil
}

// closeTime is the limit for requests in progress at Close.
const closeTime = 5 * time.Second

// Close stops listening, gives requests in progress a few seconds, and closes the library.
func (s *Server) Close() error { return s.close() }

func (s *Server) shutdown() error {
	close(s.finished)
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
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
	var word owner
	if err != nil || json.Unmarshal(text, &word) != nil || word.Identity == "" || rule.CheckSourceURL(word.Address) != nil || !sameFolder(dir, word.Dir) {
		return "", "", false
	}
	client := &http.Client{
		Timeout:       3 * time.Second,
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Get(strings.TrimRight(word.Address, "/") + identityPath)
	if err != nil {
		return "", "", false
	}
	defer res.Body.Close()
	var answer identity
	if json.NewDecoder(io.LimitReader(res.Body, 4<<10)).Decode(&answer) != nil || answer.Identity != word.Identity {
		return "", "", false
	}
	return word.Address, answer.Faults, true
}

func sameFolder(a, b string) bool {
	infoA, err := os.Stat(a)
	if err != nil {
		return false
	}
	infoB, err := os.Stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}

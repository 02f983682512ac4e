//go:build unix

package local_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
)

// switched is an address that leads to one PostgreSQL server at a time, like an address that
// moves in a failover.
type switched struct {
	net.Listener
	mu    sync.Mutex
	to    string // path of a socket; empty for no server
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

func newSwitched(t *testing.T, to *pgtest.Server) *switched {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &switched{Listener: listener, conns: map[net.Conn]bool{}}
	s.lead(to)
	s.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		s.lead(nil)
		s.wg.Wait()
	})
	return s
}

// lead cuts all connections and sends new ones to another server. A nil server refuses them.
func (s *switched) lead(to *pgtest.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = ""
	if to != nil {
		s.to = filepath.Join(to.Dir, ".s.PGSQL.5432")
	}
	for conn := range s.conns {
		conn.Close()
	}
}

func (s *switched) serve(conn net.Conn) {
	defer conn.Close()
	s.mu.Lock()
	server, err := net.Dial("unix", s.to) //nolint:noctx // a local socket connects at once
	if err == nil {
		s.conns[conn], s.conns[server] = true, true
	}
	s.mu.Unlock()
	if err != nil {
		return
	}
	defer server.Close()
	s.wg.Go(func() {
		io.Copy(server, conn) // until it is cut
		server.Close()
	})
	io.Copy(conn, server) // until it is cut
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	delete(s.conns, server)
}

// TestFailover: the database server dies during uploads to two instances, while commits wait for
// its standby, which takes over. Every answered upload is stored once, every extension run ends,
// and every end is posted.
func TestFailover(t *testing.T) {
	primary := pgtest.New(t)
	standby := primary.Standby(t)
	count := func(server *pgtest.Server, query string) (n int) {
		t.Helper()
		if err := server.Ask(t.Context(), query, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	eventually(t, "the standby to follow", func() bool {
		return count(primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1
	})
	address := newSwitched(t, primary)
	posted := sync.Map{} // by file id
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { posted.Store(r.URL.Path, true) }))
	t.Cleanup(hook.Close)
	o := local.Options{
		Database: "postgres://mediadesk@" + address.Addr().String() + "/postgres?sslmode=disable",
		Storage:  "file://" + filepath.ToSlash(t.TempDir()) + "/store",
	}
	servers := []*local.Server{serve(t, o), serve(t, o)}

	var stopped atomic.Bool
	var sent, refused atomic.Int64
	var wg sync.WaitGroup
	stored := sync.Map{} // by name
	// store reports whether the file is stored, by this attempt or an earlier one.
	store := func(name string) bool {
		switch status := sendPicture(t, servers[rand.IntN(len(servers))].Address, name, hook.URL+"/"+name); status {
		case 0:
		case http.StatusOK, http.StatusBadRequest: // it exists
			return true
		case http.StatusServiceUnavailable:
			refused.Add(1)
		default:
			t.Errorf("%s was answered %d", name, status)
		}
		return false
	}
	t.Cleanup(func() { stopped.Store(true); wg.Wait() })
	for sender := range 4 {
		wg.Go(func() {
			for n := 0; !stopped.Load(); n++ {
				name := fmt.Sprintf("%d-%d.png", sender, n)
				for !store(name) {
					if t.Failed() || t.Context().Err() != nil {
						return
					}
				}
				stored.Store(name, true)
				sent.Add(1)
			}
		})
	}
	eventually(t, "uploads before the failover", func() bool { return sent.Load() >= 20 })

	// The standby falls behind, so that the primary dies with commits that only it has.
	var follower int
	eventually(t, "the process that follows", func() bool {
		return standby.Ask(t.Context(), "SELECT pid FROM pg_stat_wal_receiver", &follower) == nil
	})
	if err := syscall.Kill(follower, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	resume := sync.OnceValue(func() error { return syscall.Kill(follower, syscall.SIGCONT) })
	defer resume()
	eventually(t, "a commit that waits for the standby", func() bool {
		return count(primary, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0
	})
	address.lead(nil)
	if err := primary.Stop(); err != nil {
		t.Fatal(err)
	}
	before := refused.Load()
	eventually(t, "an answer without the database", func() bool { return refused.Load() > before })
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	address.lead(standby)
	after := sent.Load() + 20
	eventually(t, "uploads after the failover", func() bool { return sent.Load() >= after })
	stopped.Store(true)
	wg.Wait()

	files := map[string]int{}
	for skip := 0; ; skip += 1000 {
		list := listNames(t, servers[0].Address, skip)
		for _, name := range list {
			files[name]++
		}
		if len(list) < 1000 {
			break
		}
	}
	if len(files) != int(sent.Load()) {
		t.Errorf("got %d files, want %d", len(files), sent.Load())
	}
	stored.Range(func(name, _ any) bool {
		if files[name.(string)] != 1 {
			t.Errorf("%s is stored %d times, want once", name, files[name.(string)])
		}
		eventually(t, "the post for "+name.(string), func() bool { _, ok := posted.Load("/" + name.(string)); return ok })
		return true
	})
	eventually(t, "the end of all runs", func() bool {
		pending, _ := servers[0].Library.Unfinished(t)
		return pending == 0
	})
	t.Logf("%d files, %d refusals", sent.Load(), refused.Load())
}

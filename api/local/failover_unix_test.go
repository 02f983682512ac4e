//go:build unix

package local_test

import (
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
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
	must(t, err)
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
	t.Parallel()
	mediatest.SkipRacing(t) // it waits for other processes
	primary := pgtest.New(t)
	standby := primary.Standby(t)
	count := func(server *pgtest.Server, query string) (n int) {
		t.Helper()
		must(t, server.Ask(t.Context(), query, &n))
		return n
	}
	eventually(t, "the standby to follow", func() bool {
		return count(primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1
	})
	address := newSwitched(t, primary)
	o := local.Options{
		Database: "postgres://mediadesk@" + address.Addr().String() + "/postgres?sslmode=disable",
		Storage:  "file://" + filepath.ToSlash(t.TempDir()) + "/store",
	}
	servers := []*local.Server{serve(t, o), serve(t, o)}

	u := startUploads(t, func() string { return servers[rand.IntN(len(servers))].Address })
	eventually(t, "uploads before the failover", func() bool { return u.sent.Load() >= 8 })

	// The standby falls behind, so that the primary dies with commits that only it has.
	var follower int
	eventually(t, "the process that follows", func() bool {
		return standby.Ask(t.Context(), "SELECT pid FROM pg_stat_wal_receiver", &follower) == nil
	})
	must(t, syscall.Kill(follower, syscall.SIGSTOP))
	resume := sync.OnceValue(func() error { return syscall.Kill(follower, syscall.SIGCONT) })
	defer resume()
	eventually(t, "a commit that waits for the standby", func() bool {
		return count(primary, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0
	})
	address.lead(nil)
	must(t, primary.Stop())
	before := u.refused.Load()
	eventually(t, "an answer without the database", func() bool { return u.refused.Load() > before })
	must(t, resume())
	must(t, standby.Promote(t.Context()))
	address.lead(standby)
	after := u.sent.Load() + 8
	eventually(t, "uploads after the failover", func() bool { return u.sent.Load() >= after })
	u.check(t, servers[0].Address)
	eventually(t, "the end of all runs", func() bool {
		pending, _ := servers[0].Library.Unfinished(t)
		return pending == 0
	})
	t.Logf("%d files, %d refusals", u.sent.Load(), u.refused.Load())
}

//go:build unix

package local_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/local/store/pgtest"
	"mediadesk/api/media/mediatest"
)

// deathDir is the environment variable with the folder of a library whose extension kills the program.
const deathDir = "MEDIADESK_LOCAL_TEST_DEATH_DIR"

func init() { childModes[deathDir] = beKilled }

func deadly(dir string) local.Options {
	return local.Options{
		Dir: dir, Key: key(testKey),
		Commands: map[string][]string{"remove-bg": {"sh", "-c", "kill -9 $PPID; sleep 60"}},
	}
}

func beKilled(dir string) {
	if _, err := local.Serve(context.Background(), "127.0.0.1:0", deadly(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	select {}
}

// crashWhileRunning runs a library in a child process, which its own extension kills.
func crashWhileRunning(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), deathDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended with %v: %s", err, out)
	}
}

// leavePending leaves a run pending and returns the webhook posts about it.
func leavePending(t *testing.T, dir string) <-chan map[string]any {
	t.Helper()
	hook, posts := receiver(t, func(int) int { return 200 })
	s := serve(t, local.Options{Dir: dir, Fault: local.Fault{{Text: "extensions=pending"}}})
	upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	closeServer(t, s)
	return posts
}

func expectFailure(t *testing.T, posts <-chan map[string]any, reason string) {
	t.Helper()
	if post := receive(t, posts); post["status"] != "FAILURE" ||
		!strings.Contains(fmt.Sprint(post["error"]), reason) {
		t.Errorf("posted %v", post)
	}
}

// TestRunThatEndsTheProgram: such a run is started twice and then fails with a reason.
func TestRunThatEndsTheProgram(t *testing.T) {
	dir := t.TempDir()
	posts := leavePending(t, dir)
	crashWhileRunning(t, dir)
	crashWhileRunning(t, dir)
	serve(t, deadly(dir)) // does not kill this process
	expectFailure(t, posts, "ended twice")
}

// TestRunOfALibraryThatCloses: a run that was interrupted by closing does not count as one that
// ended the program.
func TestRunOfALibraryThatCloses(t *testing.T) {
	dir := t.TempDir()
	leavePending(t, dir)
	begun := filepath.Join(t.TempDir(), "begun")
	s := serve(t, local.Options{
		Dir: dir, Commands: map[string][]string{"remove-bg": {"sh", "-c", "touch " + begun + "; exec sleep 60"}},
	})
	eventually(t, "the work", func() bool { _, err := os.Stat(begun); return err == nil })
	closeServer(t, s)
	r, err := store.OpenRecords(t.Context(), filepath.Join(dir, "library.db"))
	must(t, err)
	defer r.Close()
	if runs, err := store.View(t.Context(), r, func(tx store.Tx) ([]store.Run, error) {
		return store.All[store.Run](tx, nil)
	}); err != nil || len(runs) != 1 || runs[0].Attempts != 0 {
		t.Errorf("the runs are %+v, %v", runs, err)
	}
}

// TestFilesArePrivate: other users of the computer cannot read records or contents, even if
// earlier permissions allowed it.
func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "library")
	store20(t, dir)
	for _, name := range []string{"library.db", "library.db.snapshot", "."} {
		must(t, os.Chmod(filepath.Join(dir, name), 0o755))
	}
	s := serve(t, local.Options{Dir: dir})
	upload(t, s.Address, []byte("one more"), "fileName", "a")
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 && entry.Name() != "lock" {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	must(t, err)
}

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

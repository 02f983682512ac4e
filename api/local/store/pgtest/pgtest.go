// Package pgtest starts PostgreSQL servers for tests.
package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// Server is a PostgreSQL server with its data and socket in a temporary folder. It ends with this
// process, even on a crash.
type Server struct {
	Dir  string
	cmd  *exec.Cmd
	life io.Closer // its standard input
}

// program finds a program of PostgreSQL.
func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // Debian
	if err != nil || len(paths) == 0 {
		return "", errors.New("PostgreSQL is missing: install the Debian package postgresql")
	}
	return slices.Max(paths), nil
}

// command returns the command for a PostgreSQL program, which must not run as root.
func command(ctx context.Context, dir, name string, args ...string) (*exec.Cmd, error) {
	path, err := program(name)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	return cmd, asOther(cmd, dir)
}

// Start creates and starts a database server in a new folder. The caller must call Stop and remove
// the folder.
func Start(ctx context.Context) (*Server, error) {
	dir, err := os.MkdirTemp("", "pg") // short, because of the socket path
	if err != nil {
		return nil, err
	}
	return begin(ctx, dir, "initdb", "-D", "data", "-U", "mediadesk", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
}

// begin starts the server in dir. The program name creates its data.
func begin(ctx context.Context, dir, name string, args ...string) (*Server, error) {
	cmd, err := command(ctx, dir, name, args...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w\n%s", name, err, text), os.RemoveAll(dir))
	}
	s := &Server{Dir: dir}
	return s, s.Start(ctx)
}

// standby is the name with which a standby connects to its server.
const standby = "standby"

// Standby starts a server that follows s, until the test ends. From then on s confirms a commit
// when the standby has it, too.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "pg")
	mediatest.Must(t, err)
	follower, err := begin(t.Context(), dir, "pg_basebackup", "-D", "data", "-R", "-d", "host="+s.Dir+" user=mediadesk application_name="+standby, "-c", "fast", "--no-sync")
	mediatest.Must(t, err)
	follower.endWith(t)
	for _, text := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + standby + "'", "SELECT pg_reload_conf()"} {
		mediatest.Must(t, s.exec(t.Context(), text))
	}
	return follower
}

// Promote makes a standby accept writes.
func (s *Server) Promote(ctx context.Context) error {
	var ok bool
	if err := s.Ask(ctx, "SELECT pg_promote()", &ok); err != nil || ok {
		return err
	}
	return errors.New("the standby was not promoted")
}

// Ask runs a query that returns one row.
func (s *Server) Ask(ctx context.Context, query string, into ...any) error {
	return s.use(func(db *sql.DB) error { return db.QueryRowContext(ctx, query).Scan(into...) })
}

func (s *Server) exec(ctx context.Context, text string) error {
	return s.use(func(db *sql.DB) error { _, err := db.ExecContext(ctx, text); return err })
}

func (s *Server) use(do func(*sql.DB) error) error {
	db, err := sql.Open("pgx", s.Address("postgres"))
	if err != nil {
		return err
	}
	return errors.Join(do(db), db.Close())
}

// untilAlone runs a server until standard input or the server ends. It then removes its folder if
// $2 is set.
const untilAlone = `server=$1 remove=$2; shift 2
"$server" "$@" >>server.log 2>&1 & child=$!
cat >/dev/null
kill -QUIT $child; wait $child
[ -z "$remove" ] || rm -rf "$remove"`

// Start restarts the server after Stop, with settings such as "fsync=off".
func (s *Server) Start(ctx context.Context, settings ...string) error {
	return s.start(ctx, "", settings)
}

func (s *Server) start(ctx context.Context, remove string, settings []string) error {
	path, err := program("postgres")
	if err != nil {
		return err
	}
	args := []string{"-c", untilAlone, "sh", path, remove, "-D", "data", "-k", s.Dir, "-h", "", "-c", "max_connections=200"}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	input, life, err := os.Pipe()
	if err != nil {
		return err
	}
	defer input.Close()
	s.life, s.cmd = life, exec.Command("sh", args...) //nolint:noctx // the pipe ends it
	s.cmd.Stdin, s.cmd.Dir = input, s.Dir
	if err := errors.Join(asOther(s.cmd, s.Dir), s.cmd.Start()); err != nil {
		return err
	}
	db, err := sql.Open("pgx", s.Address("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.Dir, "server.log"))
			return fmt.Errorf("PostgreSQL does not start: %w\n%s", err, log)
		}
	}
}

// Stop stops the server at once, as a crash would.
func (s *Server) Stop() error {
	err := s.life.Close()
	if errors.Is(err, os.ErrClosed) { // it was stopped before
		err = nil
	}
	s.cmd.Wait() //nolint:errcheck // of a shell that killed its child
	return err
}

// Address returns the address of a database of the server.
func (s *Server) Address(database string) string {
	return "postgres://mediadesk@/" + database + "?host=" + url.QueryEscape(s.Dir)
}

// Create creates an empty database and returns its address.
func (s *Server) Create(ctx context.Context, name string) (string, error) {
	err := s.exec(ctx, "CREATE DATABASE "+name)
	return s.Address(name), err
}

// shared is the server of all tests of a package. It is not crash-safe.
var shared = sync.OnceValues(func() (*Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := Start(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Stop(); err != nil {
		return nil, err
	}
	return s, s.start(ctx, s.Dir, []string{"fsync=off"})
})

var databases atomic.Int64

// Database returns the address of an empty database for this test. It skips the test unless everything
// is required.
func Database(t testing.TB) string {
	t.Helper()
	mediatest.OnlyWithEverything(t)
	s, err := shared()
	mediatest.Must(t, err)
	address, err := s.Create(t.Context(), fmt.Sprintf("test%d", databases.Add(1)))
	mediatest.Must(t, err)
	return address
}

// New returns a server for this test alone.
func New(t testing.TB) *Server {
	t.Helper()
	mediatest.OnlyWithEverything(t)
	s, err := Start(t.Context())
	mediatest.Must(t, err)
	s.endWith(t)
	return s
}

// endWith ends the server with a test.
func (s *Server) endWith(t testing.TB) {
	t.Cleanup(func() {
		if err := errors.Join(s.Stop(), os.RemoveAll(s.Dir)); err != nil {
			t.Error(err)
		}
	})
}

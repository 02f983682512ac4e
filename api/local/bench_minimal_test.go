package local_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // what the library keeps its records in
)

// minimalServer is a server that does only what a durable upload needs: it takes the file out of the
// request, hashes and writes it, names it by its hash, syncs the folder and commits a row.
// Requests that wait share the last two steps. It checks nothing, so it shows how fast the
// library could be on this computer.
type minimalServer struct {
	dir     string
	db      *sql.DB
	waiting chan minimalUpload
}

type minimalUpload struct {
	hash string
	done chan error
}

// startMinimalServer starts such a server over the folder dir and returns its address.
func startMinimalServer(t testing.TB, dir string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "rows.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE rows (hash TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID"); err != nil {
		t.Fatal(err)
	}
	l := &minimalServer{dir: filepath.Join(dir, "files"), db: db, waiting: make(chan minimalUpload, 128)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: l}
	served, finished := make(chan struct{}), make(chan struct{})
	go func() { defer close(served); server.Serve(listener) }()
	go func() { defer close(finished); l.commit() }()
	t.Cleanup(func() {
		server.Close()
		<-served
		close(l.waiting)
		<-finished
		db.Close()
	})
	return "http://" + listener.Addr().String()
}

func (l *minimalServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	hash, err := l.keep(r)
	if err == nil {
		f := minimalUpload{hash, make(chan error, 1)}
		l.waiting <- f
		err = <-f.done
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, `{"hash":%q}`, hash)
}

// keep writes the file of a request to the disk and names it by its hash.
func (l *minimalServer) keep(r *http.Request) (hash string, err error) {
	parts, err := r.MultipartReader()
	for err == nil {
		part, nextErr := parts.NextPart()
		if nextErr == io.EOF {
			return hash, nil
		}
		if err = nextErr; err != nil || part.FormName() != "file" {
			continue
		}
		var data []byte
		if data, err = io.ReadAll(part); err == nil {
			sum := sha256.Sum256(data)
			hash = hex.EncodeToString(sum[:])
			err = writeUnnamed(l.dir, filepath.Join(l.dir, hash), data)
		}
	}
	return "", err
}

// commit syncs the folder and commits the rows of all requests that wait, until the queue is closed.
func (l *minimalServer) commit() {
	for first := range l.waiting {
		group := []minimalUpload{first}
		for len(l.waiting) > 0 {
			group = append(group, <-l.waiting)
		}
		err := l.commitGroup(group)
		for _, f := range group {
			f.done <- err
		}
	}
}

func (l *minimalServer) commitGroup(group []minimalUpload) error {
	folder, err := os.Open(l.dir)
	if err != nil {
		return err
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return err
	}
	tx, err := l.db.Begin()
	if err != nil {
		return err
	}
	row, err := tx.Prepare("INSERT INTO rows VALUES (?, 20000) ON CONFLICT DO NOTHING")
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	defer row.Close()
	for _, f := range group {
		if _, err := row.Exec(f.hash); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

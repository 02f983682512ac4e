package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadRecords opens the database file at path for reading only, in whatever
// format it has, also while another process writes to it. Update is an error.
func ReadRecords(ctx context.Context, path string) (Records, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	s := &database{path: path, read: make(chan *session, 1), turn: make(chan struct{}, 1), group: maxGroup}
	var err error
	if s.query, err = openDatabase(path, "&_pragma=query_only(1)", 1); err != nil {
		return nil, err
	}
	s.db = s.query
	session, err := newSession(ctx, s.query)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the records in %s: %w", path, err), s.Close())
	}
	s.read <- session
	return s, nil
}

// ReadContents is the contents in the folder dir for reading; nothing is made
// there and nothing is removed.
func ReadContents(dir string) Contents { return &blobs{dir: dir} }

// Snapshot copies one state of the database at path to the file to, which
// appears whole or not at all and replaces one that is there. Other processes
// may write meanwhile; the copy has all that was committed when it began.
func Snapshot(ctx context.Context, path, to string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	// Not query_only: that would deny the copy, too.
	db, err := openDatabase(path, "", 1)
	if err != nil {
		return err
	}
	return errors.Join(snapshot(ctx, db, to), db.Close())
}

// maxDamage is how many lines the inspection of a database tells.
const maxDamage = 20

// Damage looks through the database at path and says in lines what is broken
// in it; none: nothing is. An error says that it could not be looked through.
func Damage(ctx context.Context, path string) ([]string, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	db, err := openDatabase(path, "", 1)
	if err != nil {
		return nil, err
	}
	lines, err := integrity(ctx, db)
	if err == nil && len(lines) == 0 {
		var format int
		if err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format); err == nil && format == 0 {
			lines = []string{"it has no tables"}
		}
	}
	if err != nil && ctx.Err() == nil {
		// What cannot even be read is damaged.
		lines, err = []string{err.Error()}, nil
	}
	return lines, errors.Join(err, db.Close())
}

func integrity(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxDamage))
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		if line != "ok" {
			lines = append(lines, line)
		}
	}
	return lines, rows.Err()
}

// RemoveRecords removes the database at path with the files beside it that
// belong to it.
func RemoveRecords(path string) error {
	for _, end := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// MoveRecords gives the database at path another name, with the files beside
// it that belong to it. Nobody may have it open.
func MoveRecords(path, to string) error {
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+end, to+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Holding is a version with the file that has it, as Tx.Holdings gives it.
type Holding struct {
	FileID, Path string // empty: the file is missing
	Version      Version
	Current      bool
}

func (t *sqlTx) Holdings(prefix string) ([]Holding, error) {
	var list []Holding
	err := t.each(func(rows *sql.Rows) error {
		var h Holding
		var folder, name sql.NullString
		v := &h.Version
		err := rows.Scan(&h.FileID, &folder, &name, &v.ID, &v.Number, &v.Hash, &v.Size, &h.Current)
		if folder.Valid {
			h.Path = folder.String + name.String
		}
		list = append(list, h)
		return err
	}, `SELECT v.file_id, f.folder, f.name, v.id, v.number, v.hash, v.size, coalesce(f.version_id = v.id, 0)
		FROM versions v LEFT JOIN files f ON f.id = v.file_id WHERE v.hash >= ? AND v.hash < ? ORDER BY v.hash`, prefix, prefix+"g")
	return list, err
}

func (t *sqlTx) Contradictions() ([]File, error) {
	var list []File
	err := t.each(func(rows *sql.Rows) error {
		var f File
		err := rows.Scan(&f.ID, &f.Folder, &f.Name, &f.Version.ID)
		list = append(list, f)
		return err
	}, `SELECT f.id, f.folder, f.name, f.version_id FROM files f LEFT JOIN versions v ON v.id = f.version_id
		WHERE v.id IS NULL OR v.file_id != f.id OR v.hash != f.hash OR v.size != f.size`)
	return list, err
}

package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mediadesk/api/atomicfile"
)

// format is the number of the tables' format, in library and in SQLite's user_version. A database
// of another format is not opened.
const format = 1

var (
	//go:embed schema.sql
	tables string
	//go:embed sqlite.sql
	sqliteSchema string
	//go:embed postgres.sql
	postgresSchema string
)

// now is the database's clock in milliseconds since 1970.
const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

const newLibrary = "INSERT INTO library (format, created) VALUES (1, " + now + ");"

// ErrFormat reports that another version of the program wrote the records.
var ErrFormat = errors.New("written by another version of mediadesk")

func otherFormat(found int) error {
	return fmt.Errorf("%w (format %d; this one uses %d)", ErrFormat, found, format)
}

// checkFormat returns ErrFormat unless the tables are those that this program writes.
func checkFormat(ctx context.Context, db *sql.DB) error {
	var first, second int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&first); err != nil {
		return err
	}
	err := db.QueryRowContext(ctx, "SELECT format FROM library").Scan(&second)
	switch {
	case err != nil && Unavailable(err):
		return err
	case err != nil && first == 0:
		return errors.New("it has no tables")
	case err != nil || first != second:
		return fmt.Errorf("their format number is damaged: %d and %d", first, second)
	case first != format:
		return otherFormat(first)
	}
	return nil
}

// createTables creates the tables in an empty SQLite database, and checks the format of others.
func createTables(ctx context.Context, db *sql.DB) error {
	var objects int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return err
	}
	if objects > 0 {
		return checkFormat(ctx, db)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, tables+sqliteSchema+newLibrary+"PRAGMA user_version = 1"); err != nil {
		return err
	}
	return tx.Commit()
}

// snapshot copies the database to a file, replaced atomically.
func snapshot(ctx context.Context, db *sql.DB, to string) error {
	draft := to + ".new"
	if err := os.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", draft); err != nil {
		os.Remove(draft)
		return err
	}
	return atomicfile.Publish(draft, to, 0o600)
}

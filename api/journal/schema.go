package journal

import (
	"context"
	"database/sql"
	_ "embed" // schema.sql
	"fmt"
)

const version = 2

//go:embed schema.sql
var schema string

// checkVersion returns the version of a journal, 0 for an empty file. It returns an error for
// another version than that of this program.
func checkVersion(ctx context.Context, db *sql.DB) (found int, err error) {
	var journal bool
	err = db.QueryRowContext(ctx, "SELECT user_version, EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'jobs') FROM pragma_user_version").Scan(&found, &journal)
	switch {
	case err != nil:
		return 0, err
	case found < 0 || journal != (found > 0):
		return found, fmt.Errorf("%w (version %d)", errNoJournal, found)
	case found > version, found == 1:
		return found, fmt.Errorf("%w (version %d, this one reads %d)", ErrVersion, found, version)
	}
	return found, nil
}

func createSchema(ctx context.Context, db *sql.DB) error {
	found, err := checkVersion(ctx, db)
	if err != nil || found == version {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return err
	}
	return tx.Commit()
}

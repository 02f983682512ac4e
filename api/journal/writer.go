package journal

import (
	"context"
	"database/sql"
	"errors"

	"mediadesk/api/commit"
)

// change passes do to the writer and waits for the commit, see [commit.Writer.Do].
func (j *Journal) change(ctx context.Context, do func(tx) error) error {
	err := j.writer.Do(ctx, func(c *commit.Conn) error { return do(tx{c}) })
	if err != nil && !errors.Is(err, ErrClosed) {
		err = &Error{j.path, true, err}
	}
	return err
}

func (j *Journal) exec(ctx context.Context, text string, args ...any) error {
	return j.change(ctx, func(t tx) error {
		_, err := t.exec(text, args...)
		return err
	})
}

// tx is the writer's transaction. Without prepared statements an upload takes 0.6 ms of CPU time in
// the journal instead of 0.4 ms. It takes no context, because the end of one caller's context would
// also cancel the changes of others.
type tx struct{ conn *commit.Conn }

func (t tx) exec(text string, args ...any) (int64, error) {
	res, err := t.conn.ExecContext(context.Background(), text, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t tx) insert(text string, args ...any) (id int64, err error) {
	err = t.row(text+" RETURNING id", args...)(&id)
	return id, err
}

func (t tx) query(text string, args ...any) (*sql.Rows, error) {
	return t.conn.QueryContext(context.Background(), text, args...)
}

func (t tx) row(text string, args ...any) scan {
	stmt, err := t.conn.Statement(text) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return func(...any) error { return err }
	}
	return stmt.QueryRow(args...).Scan
}

package journal

import (
	"context"
	"database/sql"
	"log/slog"
	"slices"
	"time"
)

// request is a change that waits for the writer.
type request struct {
	ctx  context.Context //nolint:containedctx // of the one who waits
	do   func(*tx) error
	err  error
	done chan struct{}

	job  int64 // which job is written whole; 0: none
	note bool  // without a waiter
	late bool  // its caller can wait a little longer
}

// change hands do to the writer and waits until it is committed, or not. Once
// the writer has it, the end of ctx is no way out: the caller must know which.
func (j *Journal) change(ctx context.Context, do func(*tx) error) error {
	return j.await(&request{ctx: ctx, do: do, done: make(chan struct{})})
}

func (j *Journal) await(r *request) error {
	if err := j.submit(r); err != nil {
		return err
	}
	select {
	case <-r.done:
	case <-j.written:
		select {
		case <-r.done:
		default:
			return ErrClosed // the writer had ended before it could see it
		}
	}
	if r.err != nil {
		return &Error{j.path, true, r.err}
	}
	return nil
}

func (j *Journal) submit(r *request) error {
	select {
	case <-j.closing:
		return ErrClosed
	default:
	}
	select {
	case j.requests <- r:
		return nil
	case <-j.closing:
		return ErrClosed
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// maxBatch is how many changes share one commit at most.
const maxBatch = 256

// busyPause is how soon after a commit of several changes the next one makes a
// stream of them, and gatherTime for how long more of a stream is gathered.
const (
	busyPause  = 10 * time.Millisecond
	gatherTime = 4 * time.Millisecond
)

// writer commits changes, those that wait together in one transaction: the
// sync of the commit is most of what a change costs.
func (j *Journal) writer(t *tx) {
	defer close(j.written)
	defer t.close()
	var last time.Time // of the last commit of several changes
	for closing := false; ; {
		var batch []*request
		if closing {
			// What was handed over is still committed.
			select {
			case r := <-j.requests:
				batch = append(batch, r)
			default:
				return
			}
		} else {
			select {
			case r := <-j.requests:
				batch = append(batch, r)
			case <-j.closing:
				closing = true
				continue
			}
		}
		batch = j.gather(batch, time.Since(last) < busyPause)
		commit(t, withoutStale(batch))
		for _, r := range batch {
			if r.note && r.err != nil {
				slog.Warn("a change of a job was not written", "job", r.job, "err", r.err)
			}
			close(r.done)
		}
		if len(batch) > 1 {
			last = time.Now()
		}
	}
}

// gather adds waiting changes to a batch and, during a stream of notes, those of the next moment.
func (j *Journal) gather(batch []*request, stream bool) []*request {
	var moment <-chan time.Time
	for hurry := !batch[0].late; len(batch) < maxBatch; hurry = hurry || !batch[len(batch)-1].late {
		select {
		case r := <-j.requests:
			batch = append(batch, r)
			continue
		default:
		}
		if hurry || !stream {
			return batch
		}
		if moment == nil {
			moment = time.After(gatherTime)
		}
		select {
		case r := <-j.requests:
			batch = append(batch, r)
		case <-moment:
			return batch
		case <-j.closing:
			return batch
		}
	}
	return batch
}

// withoutStale leaves out notes on a job that a later change of the batch
// overwrites.
func withoutStale(batch []*request) []*request {
	last := make(map[int64]int, len(batch))
	for i, r := range batch {
		if r.job != 0 {
			last[r.job] = i
		}
	}
	kept := make([]*request, 0, len(batch))
	for i, r := range batch {
		if !r.note || last[r.job] == i {
			kept = append(kept, r)
		}
	}
	return kept
}

// commit does a batch of changes in one transaction. Each request has its
// error afterwards. If one fails, it is left out, and the others are done again: so
// the changes that work need no savepoints.
func commit(t *tx, batch []*request) {
	for len(batch) > 0 {
		failed, err := try(t, batch)
		if err != nil {
			for _, r := range batch {
				r.err = err
			}
			return
		}
		if failed < 0 {
			return
		}
		batch = slices.Delete(batch, failed, failed+1)
	}
}

// try applies a batch in one transaction, all or none. It returns the index of the change that
// failed, whose error is in the request, or -1. The error is that of the transaction.
func try(t *tx, batch []*request) (failed int, err error) {
	// Immediate: the right to write is taken now, rather than in the middle.
	if err := t.control("BEGIN IMMEDIATE"); err != nil {
		return -1, err
	}
	for i, r := range batch {
		if r.err = r.ctx.Err(); r.err == nil {
			r.err = r.do(t)
		}
		if r.err != nil {
			t.control("ROLLBACK") //nolint:errcheck // SQLite may have done that itself
			return i, nil
		}
	}
	if err := t.control("COMMIT"); err != nil {
		t.control("ROLLBACK") //nolint:errcheck // there may be nothing to take back
		return -1, err
	}
	return -1, nil
}

// tx is the transaction of the writer. Its statements are prepared once. They
// take no context: one that ended in the middle would take the changes of
// others with it.
type tx struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

func newTx(ctx context.Context, db *sql.DB) (*tx, error) {
	conn, err := db.Conn(ctx)
	return &tx{conn: conn, statements: map[string]*sql.Stmt{}}, err
}

// close lets go of the connection; closing the database does the rest.
func (t *tx) close() {
	for _, stmt := range t.statements {
		stmt.Close()
	}
	t.conn.Close()
}

// control begins or ends the transaction.
func (t *tx) control(how string) error {
	_, err := t.exec(how)
	return err
}

func (t *tx) statement(text string) (*sql.Stmt, error) {
	if stmt := t.statements[text]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.conn.PrepareContext(context.Background(), text)
	if err == nil {
		t.statements[text] = stmt
	}
	return stmt, err
}

func (t *tx) exec(text string, args ...any) (sql.Result, error) {
	stmt, err := t.statement(text) //nolint:sqlclosecheck // it is kept for the next time
	if err != nil {
		return nil, err
	}
	return stmt.Exec(args...)
}

func (t *tx) query(text string, args ...any) (*sql.Rows, error) {
	stmt, err := t.statement(text) //nolint:sqlclosecheck // it is kept for the next time
	if err != nil {
		return nil, err
	}
	return stmt.Query(args...)
}

// row is one row of a query, or the error of there being none.
type row struct {
	*sql.Row
	err error
}

func (r row) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.Row.Scan(into...)
}

func (t *tx) queryRow(text string, args ...any) row {
	stmt, err := t.statement(text) //nolint:sqlclosecheck // it is kept for the next time
	if err != nil {
		return row{err: err}
	}
	return row{Row: stmt.QueryRow(args...)}
}

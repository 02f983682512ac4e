package store

import (
	"database/sql"
	"encoding/json"
	"time"
)

const runColumns = "id, file_id, version_id, extension, status, error, webhook, awaited, attempts, created, ended"

func scanRun(row scanner) (*Run, error) {
	r := new(Run)
	var extension string
	var created, ended int64
	err := row.Scan(&r.ID, &r.FileID, &r.VersionID, &extension, &r.Status, &r.Error, &r.Webhook, &r.Awaited, &r.Attempts, &created, &ended)
	if err != nil {
		return nil, notFound(err)
	}
	r.Created = time.UnixMilli(created)
	if ended != 0 {
		r.Ended = time.UnixMilli(ended)
	}
	return r, json.Unmarshal([]byte(extension), &r.Extension)
}

// milliseconds is a time as it is kept; 0 for none.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func (t *sqlTx) AddRun(r *Run) error {
	extension, err := json.Marshal(r.Extension)
	if err != nil {
		return err
	}
	r.ID, err = t.insert("INSERT INTO runs (file_id, version_id, extension, status, error, webhook, awaited, attempts, created, ended) VALUES (?,?,?,?,?,?,?,?,?,?)",
		r.FileID, r.VersionID, string(extension), r.Status, r.Error, r.Webhook, r.Awaited, r.Attempts, r.Created.UnixMilli(), milliseconds(r.Ended))
	return err
}

func (t *sqlTx) Run(id int64) (*Run, error) {
	return scanRun(t.row("SELECT "+runColumns+" FROM runs WHERE id = ?", id))
}

func (t *sqlTx) UpdateRun(r *Run) error {
	n, err := t.exec("UPDATE runs SET status=?, error=?, awaited=?, attempts=?, ended=? WHERE id=?", r.Status, r.Error, r.Awaited, r.Attempts, milliseconds(r.Ended), r.ID)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

func (t *sqlTx) Runs(fileID string) ([]Run, error) {
	return t.readRuns("SELECT "+runColumns+" FROM runs WHERE file_id = ? ORDER BY id", fileID)
}

func (t *sqlTx) PendingRuns() ([]Run, error) {
	return t.readRuns("SELECT " + runColumns + " FROM runs WHERE status = 'pending' ORDER BY id")
}

func (t *sqlTx) readRuns(query string, args ...any) ([]Run, error) {
	var runs []Run
	err := t.each(func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		if err == nil {
			runs = append(runs, *r)
		}
		return err
	}, query, args...)
	return runs, err
}

func (t *sqlTx) AddPost(p *Post) error {
	var err error
	p.ID, err = t.insert("INSERT INTO outbox (address, body, attempts, next, created) VALUES (?,?,?,?,?)",
		p.Address, p.Body, p.Attempts, p.Next.UnixMilli(), p.Created.UnixMilli())
	return err
}

func (t *sqlTx) UpdatePost(p *Post) error {
	n, err := t.exec("UPDATE outbox SET attempts=?, next=? WHERE id=?", p.Attempts, p.Next.UnixMilli(), p.ID)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

func (t *sqlTx) DeletePost(id int64) error {
	_, err := t.exec("DELETE FROM outbox WHERE id = ?", id)
	return err
}

func (t *sqlTx) Posts() ([]Post, error) {
	var posts []Post
	err := t.each(func(rows *sql.Rows) error {
		var p Post
		var next, created int64
		if err := rows.Scan(&p.ID, &p.Address, &p.Body, &p.Attempts, &next, &created); err != nil {
			return err
		}
		p.Next, p.Created = time.UnixMilli(next), time.UnixMilli(created)
		posts = append(posts, p)
		return nil
	}, "SELECT id, address, body, attempts, next, created FROM outbox ORDER BY id")
	return posts, err
}

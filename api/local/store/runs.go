package store

import (
	"encoding/json"
	"time"
)

const runColumns = "id, file_id, version_id, extension, status, error, webhook, awaited, attempts, created, ended"

func scanRun(row scanner, r *Run) error {
	var extension string
	err := row.Scan(&r.ID, &r.FileID, &r.VersionID, &extension, &r.Status, &r.Error, &r.Webhook, &r.Awaited, &r.Attempts,
		milliseconds{&r.Created}, scanZero{&r.Finished})
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(extension), &r.Extension)
}

func (t *sqlTx) AddRun(r *Run) error {
	extension, err := json.Marshal(r.Extension)
	if err != nil {
		return err
	}
	r.ID, err = t.insert("INSERT INTO runs (file_id, version_id, extension, status, error, webhook, awaited, attempts, created, ended, owner) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
		r.FileID, r.VersionID, string(extension), r.Status, r.Error, r.Webhook, r.Awaited, r.Attempts, r.Created.UnixMilli(), orZero(r.Finished), r.Owner)
	return err
}

func (t *sqlTx) Run(id int64) (*Run, error) {
	return one(t.row("SELECT "+runColumns+", owner FROM runs WHERE id = ?", id), func(row scanner, r *Run) error { return scanRun(and{row, &r.Owner}, r) })
}

func (t *sqlTx) UpdateRun(r *Run) error {
	return t.change(ErrNotFound, "UPDATE runs SET status=?, error=?, awaited=?, attempts=?, ended=? WHERE id=?",
		r.Status, r.Error, r.Awaited, r.Attempts, orZero(r.Finished), r.ID)
}

func (t *sqlTx) Runs(fileID string) ([]Run, error) {
	return list(t, scanRun, "SELECT "+runColumns+" FROM runs WHERE file_id = ? ORDER BY id", fileID)
}

func (t *sqlTx) PendingRuns() ([]Run, error) {
	return list(t, scanRun, "SELECT "+runColumns+" FROM runs WHERE status = 'pending' ORDER BY id")
}

func (t *sqlTx) Unfinished() (runs, posts int, err error) {
	err = t.row("SELECT (SELECT count(*) FROM runs WHERE status = 'pending'), (SELECT count(*) FROM outbox)").Scan(&runs, &posts)
	return runs, posts, err
}

func (t *sqlTx) AddPost(p *Post) (err error) {
	p.ID, err = t.insert("INSERT INTO outbox (address, body, attempts, next, created, owner) VALUES (?,?,?,?,?,?)",
		p.Address, p.Body, p.Attempts, p.Next.UnixMilli(), p.Created.UnixMilli(), p.Owner)
	return err
}

func (t *sqlTx) UpdatePost(p *Post) error {
	return t.change(ErrNotFound, "UPDATE outbox SET attempts=?, next=? WHERE id=?", p.Attempts, p.Next.UnixMilli(), p.ID)
}

func (t *sqlTx) UseToken(hash string, expire, now time.Time) error {
	if _, err := t.exec("DELETE FROM tokens WHERE expire < ?", now.UnixMilli()); err != nil {
		return err
	}
	return t.change(ErrExists, "INSERT INTO tokens (hash, expire) VALUES (?,?) ON CONFLICT DO NOTHING", hash, expire.UnixMilli())
}

func (t *sqlTx) DeletePost(id int64) error {
	_, err := t.exec("DELETE FROM outbox WHERE id = ?", id)
	return err
}

const postColumns = "id, address, body, attempts, next, created"

func scanPost(row scanner, p *Post) error {
	return row.Scan(&p.ID, &p.Address, &p.Body, &p.Attempts, milliseconds{&p.Next}, milliseconds{&p.Created})
}

func (t *sqlTx) Posts() ([]Post, error) {
	return list(t, scanPost, "SELECT "+postColumns+" FROM outbox ORDER BY id")
}

func (t *sqlTx) PostsOf(owner string) ([]Post, error) {
	return list(t, scanPost, "SELECT "+postColumns+" FROM outbox WHERE owner = ? ORDER BY id", owner)
}

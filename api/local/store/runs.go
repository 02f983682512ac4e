package store

import (
	"encoding/json"
	"time"
)

const runColumns = "id, file_id, version_id, extension, status, error, webhook, awaited, attempts, created, ended"

func scanRun(row scanner, r *Run) error {
	var extension string
	err := row.Scan(&r.ID, &r.FileID, &r.VersionID, &extension, &r.Status, &r.Error, &r.Webhook, &r.Awaited, &r.Attempts,
		milliseconds{&r.Created}, milliseconds{&r.Finished})
	if err != nil {
		return err
	}
	if r.Finished.UnixMilli() == 0 {
		r.Finished = time.Time{}
	}
	return json.Unmarshal([]byte(extension), &r.Extension)
}

// finishedAt is a run's end as it is kept; 0 while it is pending.
func finishedAt(r *Run) int64 {
	if r.Finished.IsZero() {
		return 0
	}
	return r.Finished.UnixMilli()
}

func (t *sqlTx) AddRun(r *Run) error {
	extension, err := json.Marshal(r.Extension)
	if err != nil {
		return err
	}
	r.ID, err = t.insert("INSERT INTO runs (file_id, version_id, extension, status, error, webhook, awaited, attempts, created, ended) VALUES (?,?,?,?,?,?,?,?,?,?)",
		r.FileID, r.VersionID, string(extension), r.Status, r.Error, r.Webhook, r.Awaited, r.Attempts, r.Created.UnixMilli(), finishedAt(r))
	return err
}

func (t *sqlTx) Run(id int64) (*Run, error) {
	return one(t.row("SELECT "+runColumns+" FROM runs WHERE id = ?", id), scanRun)
}

func (t *sqlTx) UpdateRun(r *Run) error {
	return t.change(ErrNotFound, "UPDATE runs SET status=?, error=?, awaited=?, attempts=?, ended=? WHERE id=?",
		r.Status, r.Error, r.Awaited, r.Attempts, finishedAt(r), r.ID)
}

func (t *sqlTx) Runs(fileID string) ([]Run, error) {
	return list(t, scanRun, "SELECT "+runColumns+" FROM runs WHERE file_id = ? ORDER BY id", fileID)
}

func (t *sqlTx) PendingRuns() ([]Run, error) {
	return list(t, scanRun, "SELECT "+runColumns+" FROM runs WHERE status = 'pending' ORDER BY id")
}

func (t *sqlTx) AddPost(p *Post) (err error) {
	p.ID, err = t.insert("INSERT INTO outbox (address, body, attempts, next, created) VALUES (?,?,?,?,?)",
		p.Address, p.Body, p.Attempts, p.Next.UnixMilli(), p.Created.UnixMilli())
	return err
}

func (t *sqlTx) UpdatePost(p *Post) error {
	return t.change(ErrNotFound, "UPDATE outbox SET attempts=?, next=? WHERE id=?", p.Attempts, p.Next.UnixMilli(), p.ID)
}

func (t *sqlTx) DeletePost(id int64) error {
	_, err := t.exec("DELETE FROM outbox WHERE id = ?", id)
	return err
}

func (t *sqlTx) Posts() ([]Post, error) {
	return list(t, func(row scanner, p *Post) error {
		return row.Scan(&p.ID, &p.Address, &p.Body, &p.Attempts, milliseconds{&p.Next}, milliseconds{&p.Created})
	}, "SELECT id, address, body, attempts, next, created FROM outbox ORDER BY id")
}

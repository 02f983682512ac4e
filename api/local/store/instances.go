package store

import (
	"encoding/json"
	"time"
)

// present selects the present instances.
const present = "(SELECT id FROM instances WHERE until > " + now + ")"

// unlocked ends a query for rows that no other transaction has locked, which matters for PostgreSQL
// only.
const unlocked = "LIMIT ?+0 /* unlocked */"

func (t *sqlTx) Present(id string, span time.Duration) error {
	_, err := t.exec("INSERT INTO instances (id, until) VALUES (?, "+now+" + CAST(? AS BIGINT)) ON CONFLICT (id) DO UPDATE SET until = excluded.until",
		id, span.Milliseconds())
	return err
}

func (t *sqlTx) Absent(id string) error {
	_, err := t.exec("DELETE FROM instances WHERE id = ? OR ? = ''", id, id)
	return err
}

func (t *sqlTx) Claim(work, owner string) (bool, error) {
	n, err := t.exec("INSERT INTO claims (work, owner) VALUES (?, ?) ON CONFLICT (work) DO UPDATE SET owner = excluded.owner"+
		" WHERE claims.owner = excluded.owner OR claims.owner NOT IN "+present, work, owner)
	return n > 0, err
}

func (t *sqlTx) Adopt(owner string, most int) ([]Run, error) {
	_, err := t.exec("UPDATE outbox SET owner = ? WHERE id IN (SELECT id FROM outbox WHERE owner NOT IN "+present+" ORDER BY id "+unlocked+")", owner, most)
	if err != nil {
		return nil, err
	}
	t.wrote = true
	return list(t, scanRun, "UPDATE runs SET owner = ?, awaited = 1 WHERE id IN (SELECT id FROM runs WHERE status = 'pending' AND owner NOT IN "+
		present+" ORDER BY id "+unlocked+") RETURNING "+runColumns, owner, most)
}

func scanJob(row scanner, j *Job) error {
	var body string
	err := row.Scan(&j.ID, &j.Owner, &body)
	j.Body = json.RawMessage(body)
	return err
}

func (t *sqlTx) KeepJob(j *Job) error {
	_, err := t.exec("INSERT INTO jobs (id, owner, body) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body", j.ID, j.Owner, string(j.Body))
	return err
}

func (t *sqlTx) Job(id string) (*Job, error) {
	return one(t.row("SELECT id, owner, body FROM jobs WHERE id = ?", id), scanJob)
}

func (t *sqlTx) DeleteJob(id string) error {
	_, err := t.exec("DELETE FROM jobs WHERE id = ?", id)
	return err
}

func (t *sqlTx) AdoptJobs(owner string, most int) ([]Job, error) {
	t.wrote = true
	return list(t, scanJob, "UPDATE jobs SET owner = ? WHERE id IN (SELECT id FROM jobs WHERE owner NOT IN "+present+" ORDER BY id "+unlocked+") RETURNING id, owner, body", owner, most)
}

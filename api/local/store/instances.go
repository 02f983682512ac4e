package store

import (
	"time"
)

// Instances reads and writes which processes serve the library, and what each of them works on.
type Instances struct{ session }

// present selects the present instances.
const present = "(SELECT id FROM instances WHERE until > " + now + ")"

// unlocked ends a query for rows that no other transaction has locked, which matters for PostgreSQL
// only.
const unlocked = "LIMIT ?+0 /* unlocked */"

// Present marks an instance as present for a span, by the database's clock.
func (t Instances) Present(id string, span time.Duration) error {
	_, err := t.exec("INSERT INTO instances (id, until) VALUES (?, "+now+" + CAST(? AS BIGINT)) ON CONFLICT (id) DO UPDATE SET until = excluded.until",
		id, span.Milliseconds())
	return err
}

// Absent removes an instance, or all if id is empty.
func (t Instances) Absent(id string) error {
	_, err := t.exec("DELETE FROM instances WHERE id = ? OR ? = ''", id, id)
	return err
}

// Claim reports whether owner holds the exclusive work.
func (t Instances) Claim(work, owner string) (bool, error) {
	n, err := t.exec("INSERT INTO claims (work, owner) VALUES (?, ?) ON CONFLICT (work) DO UPDATE SET owner = excluded.owner"+
		" WHERE claims.owner = excluded.owner OR claims.owner NOT IN "+present, work, owner)
	return n > 0, err
}

// Adopt assigns to owner at most most pending runs, posts and jobs each of absent instances. The
// runs become awaited.
func (t Instances) Adopt(owner string, most int) (runs []Run, jobs []Job, err error) {
	left := func(table, condition, change string) string {
		return "UPDATE " + table + " SET owner = ?" + change + " WHERE id IN (SELECT id FROM " + table + " WHERE " + condition + "owner NOT IN " + present + " ORDER BY id " + unlocked + ")"
	}
	if _, err := t.exec(left("outbox", "", ""), owner, most); err != nil {
		return nil, nil, err
	}
	jobs, err = records[Job](t.session, left("jobs", "", "")+" RETURNING "+tableFor[Job]().read, owner, most)
	if err == nil {
		runs, err = records[Run](t.session, left("runs", "status = 'pending' AND ", ", awaited = 1")+" RETURNING "+tableFor[Run]().read, owner, most)
	}
	return runs, jobs, err
}

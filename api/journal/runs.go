package journal

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"mediadesk/api"
	"mediadesk/api/job"
)

// AddRuns saves the runs in an answer and returns them with their IDs, and with the result of any
// webhook that arrived before the answer. Runs of an answer that is already saved count once.
func (j *Journal) AddRuns(ctx context.Context, runs []job.Run) ([]job.Run, error) {
	var added []job.Run
	err := j.change(ctx, func(t tx) error {
		var err error
		added, err = addRuns(t, runs, 0)
		return err
	})
	return added, err
}

func addRuns(t tx, runs []job.Run, j int64) ([]job.Run, error) {
	added := make([]job.Run, 0, len(runs))
	for _, run := range runs {
		j := max(j, run.JobID)
		answer := ""
		digest := []byte(fmt.Sprint("started ", stamp(run.Started)))
		if run.Answer != nil {
			text, err := recordText(run.Answer)
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256([]byte(text))
			answer, digest = text, sum[:]
		}
		if run.Hook != ([32]byte{}) {
			digest = run.Hook[:] // two requests may get the same answer
		}
		id, fresh, err := addRun(t, run, j, answer, digest)
		if err != nil {
			return nil, err
		}
		if fresh {
			if err := addEvent(t, id, run, true); err != nil {
				return nil, err
			}
			posts, err := earlyPosts(t, run, j)
			if err != nil {
				return nil, err
			}
			for _, p := range posts {
				if _, err := p.apply(t, id); err != nil {
					return nil, err
				}
			}
		}
		run, err = scanRun(t.queryRow(oneRun, id).Scan)
		if err != nil {
			return nil, err
		}
		added = append(added, run)
	}
	return added, nil
}

func addRun(t tx, run job.Run, j int64, answer string, digest []byte) (id int64, fresh bool, err error) {
	request := []byte(nil)
	if run.Requested != nil {
		if request, err = json.Marshal(run.Requested); err != nil {
			return 0, false, err
		}
	}
	n, err := t.exec(`INSERT OR IGNORE INTO runs
		(profile, file, path, extension, status, open, source, error, started, at, webhook, job, answer, digest, asked, hook)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run.Profile, run.FileID, run.FilePath, run.Extension, run.Status, !run.Status.Final(), run.From, run.Error,
		stamp(run.Started), stamp(run.At), run.Webhook, j, answer, digest, string(request), hookOf(run.Hook))
	if err != nil {
		return 0, false, err
	}
	err = t.queryRow("SELECT id FROM runs WHERE profile = ? AND file = ? AND extension = ? AND digest = ?",
		run.Profile, run.FileID, run.Extension, digest).Scan(&id)
	return id, n > 0, err
}

// hookOf returns the stored form of an address hash, empty without one.
func hookOf(hash [32]byte) []byte {
	if hash == ([32]byte{}) {
		return []byte{}
	}
	return hash[:]
}

// ApplyRun stores a final Status with its From, Error and At. A finished run does not change
// (service.md §3), and a status that is not final changes nothing: changed is then false, and the
// report is only in the history.
func (j *Journal) ApplyRun(ctx context.Context, run job.Run) (changed bool, err error) {
	err = j.change(ctx, func(t tx) error {
		changed, err = applyRun(t, run)
		if err != nil {
			return err
		}
		return addEvent(t, run.ID, run, changed)
	})
	return changed && err == nil, err
}

func applyRun(t tx, run job.Run) (bool, error) {
	if !run.Status.Final() {
		return false, nil
	}
	n, err := t.exec("UPDATE runs SET status = ?1, open = 0, source = ?2, error = ?3, at = ?4 WHERE id = ?5 AND open = 1",
		run.Status, run.From, run.Error, stamp(run.At), run.ID)
	return n > 0, err
}

func addEvent(t tx, id int64, run job.Run, applied bool) error {
	var raw []byte
	if run.Answer != nil {
		text, err := recordText(run.Answer)
		if err != nil {
			return err
		}
		raw = []byte(text)
	}
	_, err := t.exec("INSERT INTO events (run, at, source, status, applied, raw) VALUES (?, ?, ?, ?, ?, ?)",
		id, stamp(run.At), run.From, run.Status, applied, raw)
	return err
}

const runColumns = "id, profile, file, path, extension, status, source, error, started, at, webhook, job, asked, hook"

// Runs returns runs, newest last.
func (j *Journal) Runs(ctx context.Context, f job.RunFilter) ([]job.Run, error) {
	text, args := "SELECT "+runColumns+", answer FROM runs WHERE 1", []any(nil)
	if f.Pending {
		text += " AND open = 1"
	}
	if f.Profile != "" {
		text += " AND profile = ?"
		args = append(args, f.Profile)
	}
	if f.FileID != "" {
		text += " AND file = ?"
		args = append(args, f.FileID)
	}
	text += " ORDER BY id DESC"
	if f.Limit > 0 {
		text += fmt.Sprintf(" LIMIT %d", f.Limit)
	}
	runs, err := list(ctx, j, func(scan scan) (job.Run, error) {
		var answer string
		run, err := scanRun(func(into ...any) error { return scan(append(into, &answer)...) })
		if err == nil && f.Answers && answer != "" {
			run.Answer = new(api.File)
			err = decode(answer, run.Answer)
		}
		return run, err
	}, text, args...)
	slices.Reverse(runs)
	return runs, err
}

const oneRun = "SELECT " + runColumns + " FROM runs WHERE id = ?"

func scanRun(scan scan) (run job.Run, err error) {
	var hook []byte
	err = scan(&run.ID, &run.Profile, &run.FileID, &run.FilePath, &run.Extension, &run.Status, &run.From,
		&run.Error, when{&run.Started}, when{&run.At},
		&run.Webhook, &run.JobID, asJSON{&run.Requested}, &hook)
	copy(run.Hook[:], hook)
	return run, err
}

// History returns all reports about a run, in order.
func (j *Journal) History(ctx context.Context, runID int64) ([]job.RunEvent, error) {
	return list(ctx, j, func(scan scan) (e job.RunEvent, err error) {
		err = scan(when{&e.At}, &e.From, &e.Status, &e.Applied, &e.Times, &e.Raw)
		return e, err
	}, `SELECT at, source, status, applied, 0, raw FROM events WHERE run = ?1
		UNION ALL SELECT at, 'webhook', status, applied, times, body FROM posts WHERE run = ?1 AND run <> 0
		ORDER BY at`, runID)
}

func earlyPosts(t tx, run job.Run, j int64) ([]storedPost, error) {
	rows, err := t.query(`SELECT p.id, p.status, p.error, p.at FROM posts p JOIN hooks h ON h.hash = p.hook
		WHERE p.run = 0 AND p.extension = ?1 COLLATE NOCASE AND h.profile = ?2 AND p.file IN ('', ?3)
		AND CASE
			WHEN ?6 <> x'' THEN h.hash = ?6
			WHEN h.job = 0 THEN h.file = ?3 AND h.made <= ?5 AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.hook = h.hash)
			ELSE h.job = ?4 OR ?4 = 0 AND h.made <= ?5 AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = h.job AND jobs.file = ?3)
		END ORDER BY p.id`, run.Extension, run.Profile, run.FileID, j, stamp(run.Started), hookOf(run.Hook))
	return collect(rows, err, func(scan scan) (p storedPost, err error) {
		err = scan(&p.id, &p.status, &p.err, when{&p.at})
		return p, err
	})
}

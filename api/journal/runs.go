package journal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
)

// AddRuns saves the runs in an answer, with the result of any webhook that arrived before the answer.
// Runs of an answer that is already saved count once.
func (j *Journal) AddRuns(ctx context.Context, runs []job.Run) error {
	return j.change(ctx, func(t tx) error { return addRuns(t, runs, 0) })
}

func addRuns(t tx, runs []job.Run, jobID int64) error {
	for _, run := range runs {
		jobID := max(jobID, run.JobID)
		answer := ""
		// The same digest means the same answer, which counts once.
		digest := []byte(fmt.Sprint("started ", stamp(run.Started)))
		if run.Answer != nil {
			text, err := recordText(run.Answer)
			if err != nil {
				return err
			}
			sum := sha256.Sum256([]byte(text))
			answer, digest = text, sum[:]
		}
		if run.Hook != ([32]byte{}) {
			digest = run.Hook[:] // two requests may get the same answer
		}
		id, fresh, err := addRun(t, run, jobID, answer, digest)
		if err != nil {
			return err
		}
		if !fresh {
			continue
		}
		if err := addEvent(t, id, run, true); err != nil {
			return err
		}
		posts, err := earlyPosts(t, run, jobID)
		if err != nil {
			return err
		}
		for _, p := range posts {
			if _, err := p.apply(t, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func addRun(t tx, run job.Run, jobID int64, answer string, digest []byte) (id int64, fresh bool, err error) {
	request := []byte(nil)
	if run.Requested != nil {
		if request, err = json.Marshal(run.Requested); err != nil {
			return 0, false, err
		}
	}
	n, err := t.exec(`INSERT OR IGNORE INTO runs (profile, file, path, extension, status, open, source, error,
		started, at, webhook, job, answer, digest, asked, hook)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		run.Profile, run.FileID, run.FilePath, run.Extension, run.Status, !run.Status.Final(), run.From,
		run.Error, stamp(run.Started), stamp(run.At), run.Webhook, jobID, answer, digest, string(request),
		hookOf(run.Hook))
	if err != nil {
		return 0, false, err
	}
	err = t.row("SELECT id FROM runs WHERE profile = ? AND file = ? AND extension = ? AND digest = ?",
		run.Profile, run.FileID, run.Extension, digest)(&id)
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
		if changed, err = applyRun(t, run); err != nil {
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
	text := "SELECT " + runColumns + ", answer FROM runs WHERE 1"
	if f.Pending {
		text += " AND open = 1"
	}
	text, args := newest(text, f.Limit, "profile", f.Profile, "file", f.FileID)
	runs, err := list(ctx, j, func(scan scan) (job.Run, error) {
		var answer string
		run, err := scanRun(func(into ...any) error { return scan(append(into, &answer)...) })
		if run.Answered = answer != ""; err == nil && f.Answers && run.Answered {
			run.Answer = new(api.File)
			err = decode(answer, run.Answer)
		}
		return run, err
	}, text, args...)
	slices.Reverse(runs)
	return runs, err
}

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

func earlyPosts(t tx, run job.Run, jobID int64) ([]storedPost, error) {
	return collect(t.query, func(scan scan) (p storedPost, err error) {
		err = scan(&p.id, &p.end.Status, &p.end.Error, when{&p.end.At})
		return p, err
	}, `SELECT p.id, p.status, p.error, p.at FROM posts p JOIN hooks h ON h.hash = p.hook
		WHERE p.run = 0 AND p.extension = ?1 COLLATE NOCASE AND h.profile = ?2 AND p.file IN ('', ?3)
		AND CASE
			WHEN ?6 <> x'' THEN h.hash = ?6
			WHEN h.job = 0 THEN h.file = ?3 AND h.made <= ?5
				AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.hook = h.hash)
			ELSE h.job = ?4 OR ?4 = 0 AND h.made <= ?5
				AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = h.job AND jobs.file = ?3)
		END ORDER BY p.id`, run.Extension, run.Profile, run.FileID, jobID, stamp(run.Started), hookOf(run.Hook))
}

// maxPosts limits the different posts per address. A service sends one per extension; more would
// fill the disk.
const maxPosts = 64

const expiredHookTTL = 7 * 24 * time.Hour

// AddHook saves a webhook address, so that its webhooks are accepted.
func (j *Journal) AddHook(ctx context.Context, h job.Hook) error {
	h.Made = cmp.Or(h.Made, time.Now())
	return j.change(ctx, func(t tx) error {
		if _, err := t.exec("DELETE FROM hooks WHERE expires < ?", stamp(h.Made.Add(-expiredHookTTL))); err != nil {
			return err
		}
		_, err := t.exec("INSERT INTO hooks (hash, profile, job, file, made, expires) VALUES (?, ?, ?, ?, ?, ?)",
			h.Hash[:], h.Profile, h.JobID, h.FileID, stamp(h.Made), stamp(h.Expires))
		return err
	})
}

// HookKnown reports whether an address accepts webhooks at that time, and returns its profile.
func (j *Journal) HookKnown(ctx context.Context, hash [32]byte,
	at time.Time,
) (profile string, known bool, err error) {
	return first(ctx, j, value[string], "SELECT profile FROM hooks WHERE hash = ? AND expires > ?", hash[:], stamp(at))
}

// HookPost saves a webhook and, in the same commit, updates its run. A webhook applies only to the
// file of its address: one that names another file is saved, but changes nothing. One that arrives
// before the answer to the upload waits until AddRuns or UpdateJob adds the run. Identical webhooks
// count once.
func (j *Journal) HookPost(ctx context.Context, hash [32]byte, post job.HookPost,
	at time.Time,
) (job.HookResult, error) {
	var result job.HookResult
	err := j.change(ctx, func(t tx) error {
		result = job.HookResult{}
		h := job.Hook{Hash: hash}
		err := t.row(`SELECT profile, job, coalesce((SELECT file FROM jobs WHERE jobs.id = hooks.job), file),
			made, expires FROM hooks WHERE hash = ?`, hash[:])(
			&h.Profile, &h.JobID, &h.FileID, when{&h.Made}, when{&h.Expires})
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && !at.Before(h.Expires):
			return nil
		case err != nil:
			return err
		}
		result.FileID = h.FileID
		digest := sha256.Sum256(post.Raw)
		if n, err := t.exec("UPDATE posts SET times = times + 1 WHERE hook = ? AND digest = ?", hash[:], digest[:]); err != nil || n > 0 {
			result.Known, result.Repeat = true, true
			return err
		}
		var count int
		err = t.row("SELECT count(*) FROM posts WHERE hook = ?", hash[:])(&count)
		if err != nil || count >= maxPosts {
			return err
		}
		id, err := t.insert("INSERT INTO posts (hook, digest, extension, status, file, error, body, at, times, applied, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0)",
			hash[:], digest[:], post.Extension, post.Status, post.FileID, post.Error, post.Raw, stamp(at))
		if err != nil {
			return err
		}
		p := storedPost{id, job.Run{Status: post.Status, Error: post.Error, At: at}}
		result.Known = true
		run, ours, err := runOfPost(t, h, post, at)
		switch {
		case err != nil || run == 0:
			return err
		case ours:
			result.Changed, err = p.apply(t, run)
		default:
			err = p.link(t, run, false)
		}
		return err
	})
	return result, err
}

// runOfPost returns the run of a post, or 0 if there is none yet. ours is false if the post names
// another file than its address; it then appears only in the history.
func runOfPost(t tx, h job.Hook, post job.HookPost, at time.Time) (id int64, ours bool, err error) {
	if h.FileID == "" {
		return 0, false, nil // the answer has not arrived yet
	}
	ours = post.FileID == "" || post.FileID == h.FileID
	// Use the run of the same request, or a run without its own address that began after the address
	// was made.
	err = t.row(`SELECT id FROM runs WHERE profile = ?1 AND file = ?2 AND extension = ?3 COLLATE NOCASE
		AND (hook = ?6 OR job <> 0 AND job = ?4 OR hook = x'' AND job = 0 AND started >= ?5)
		ORDER BY hook = ?6 DESC, job DESC, id DESC LIMIT 1`,
		h.Profile, h.FileID, post.Extension, h.JobID, stamp(h.Made), h.Hash[:])(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, ours, err
	}
	if !ours || post.Extension == "" || h.JobID == 0 {
		return 0, false, nil
	}
	// The upload is stored, but its answer did not mention the extension: the address is sufficient
	// evidence.
	run := job.Run{
		Profile: h.Profile, FileID: h.FileID, Extension: post.Extension,
		Status: api.StatusPending, From: job.FromWebhook, Started: at, At: at, Webhook: true,
	}
	err = t.row("SELECT folder || name FROM files WHERE profile = ? AND id = ?", h.Profile, h.FileID)(&run.FilePath)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, false, err
	}
	id, _, err = addRun(t, run, h.JobID, "", []byte("post"))
	return id, true, err
}

type storedPost struct {
	id  int64
	end job.Run // its status, error and time
}

func (p storedPost) apply(t tx, run int64) (changed bool, err error) {
	p.end.ID, p.end.From = run, job.FromWebhook
	if changed, err = applyRun(t, p.end); err != nil {
		return false, err
	}
	return changed, p.link(t, run, changed)
}

func (p storedPost) link(t tx, run int64, applied bool) error {
	_, err := t.exec("UPDATE posts SET run = ?, applied = ? WHERE id = ?", run, applied, p.id)
	return err
}

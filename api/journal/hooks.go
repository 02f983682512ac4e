package journal

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
)

// maxPosts limits the different posts per address. A service sends one per extension; more would
// fill the disk.
const maxPosts = 64

const expiredHookTTL = 7 * 24 * time.Hour

// AddHook saves a webhook address, so that its webhooks are accepted.
func (j *Journal) AddHook(ctx context.Context, h job.Hook) error {
	if h.Made.IsZero() {
		h.Made = time.Now()
	}
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
		switch err := t.queryRow(`SELECT profile, job, coalesce((SELECT file FROM jobs WHERE jobs.id = hooks.job), file), made, expires FROM hooks WHERE hash = ?`, hash[:]).Scan(&h.Profile, &h.JobID, &h.FileID, when{&h.Made}, when{&h.Expires}); {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		if !at.Before(h.Expires) {
			return nil
		}
		result.FileID = h.FileID
		digest := sha256.Sum256(post.Raw)
		if n, err := t.exec("UPDATE posts SET times = times + 1 WHERE hook = ? AND digest = ?", hash[:], digest[:]); err != nil || n > 0 {
			result.Known, result.Repeat = true, true
			return err
		}
		var count int
		if err := t.queryRow("SELECT count(*) FROM posts WHERE hook = ?", hash[:]).Scan(&count); err != nil || count >= maxPosts {
			return err
		}
		id, err := t.insert("INSERT INTO posts (hook, digest, extension, status, file, error, body, at, times, applied, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0)",
			hash[:], digest[:], post.Extension, post.Status, post.FileID, post.Error, post.Raw, stamp(at))
		if err != nil {
			return err
		}
		p := storedPost{id, post.Status, post.Error, at}
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
	if err != nil {
		return job.HookResult{}, err
	}
	return result, nil
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
	err = t.queryRow(`SELECT id FROM runs WHERE profile = ?1 AND file = ?2 AND extension = ?3 COLLATE NOCASE
		AND (hook = ?6 OR job <> 0 AND job = ?4 OR hook = x'' AND job = 0 AND started >= ?5)
		ORDER BY hook = ?6 DESC, job DESC, id DESC LIMIT 1`,
		h.Profile, h.FileID, post.Extension, h.JobID, stamp(h.Made), h.Hash[:]).Scan(&id)
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
	err = t.queryRow("SELECT folder || name FROM files WHERE profile = ? AND id = ?", h.Profile, h.FileID).Scan(&run.FilePath)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, false, err
	}
	id, _, err = addRun(t, run, h.JobID, "", []byte("post"))
	return id, true, err
}

type storedPost struct {
	id     int64
	status api.Status
	err    string
	at     time.Time
}

func (p storedPost) apply(t tx, run int64) (changed bool, err error) {
	changed, err = applyRun(t, job.Run{ID: run, Status: p.status, From: job.FromWebhook, Error: p.err, At: p.at})
	if err != nil {
		return false, err
	}
	return changed, p.link(t, run, changed)
}

func (p storedPost) link(t tx, run int64, applied bool) error {
	_, err := t.exec("UPDATE posts SET run = ?, applied = ? WHERE id = ?", run, applied, p.id)
	return err
}

package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
)

// ErrTaken reports that a job belongs to another running process.
var ErrTaken = errors.New("another mediadesk that is running has this upload")

// ErrNoJob reports that no job has the given ID.
var ErrNoJob = errors.New("there is no such job")

// JobFilter selects jobs. The zero filter selects all.
type JobFilter struct {
	Profile string    // or empty
	Open    bool      // see [api.State.Open]
	Failed  bool      // only those with an outcome other than stored
	State   api.State // or empty
	Batch   string    // or empty
	Limit   int       // maximum number, newest first; 0 means no limit
}

// AddJobs saves new jobs, all or none, and returns them with their IDs and times. They belong to
// this process.
func (j *Journal) AddJobs(ctx context.Context, jobs []api.Job) ([]api.Job, error) {
	added := slices.Clone(jobs)
	now := time.Now()
	err := j.change(ctx, func(t tx) error {
		for i := range added {
			job := &added[i]
			job.State = cmp.Or(job.State, api.Waiting)
			if job.Created.IsZero() {
				job.Created = now
			}
			job.Updated = now
			row, err := newJobRow(job)
			if err != nil {
				return err
			}
			job.ID, err = t.insert("INSERT INTO jobs (profile, state, open, owner, file, body, record, updated, priority, batch, size, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				job.Profile, job.State, !job.State.Final(), j.owner.name, row.file, row.body, row.record, stamp(job.Updated),
				job.Priority, job.Batch, job.Identity.Size, row.hash)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// UpdateJob saves a job except for its priority. For a stored job it also saves the record and the
// runs in the answer, in the same commit. It returns ErrTaken if the job belongs to another running
// process.
func (j *Journal) UpdateJob(ctx context.Context, job api.Job) error {
	job.Updated = time.Now()
	row, err := newJobRow(&job)
	if err != nil {
		return &Error{j.path, true, err}
	}
	return j.change(ctx, func(t tx) error { return j.updateJob(t, &job, row) })
}

// NoteJob is UpdateJob without waiting: it is committed in order with the other changes, and lost in a
// crash before that.
func (j *Journal) NoteJob(job api.Job) {
	job.Updated = time.Now()
	row, err := newJobRow(&job)
	if err == nil {
		err = j.submit(&request{ctx: context.Background(), job: job.ID, done: make(chan struct{}), do: func(t tx) error { return j.updateJob(t, &job, row) }})
	}
	if err != nil {
		slog.Warn("a change of a job was not written", "job", job.ID, "err", err)
	}
}

func (j *Journal) updateJob(t tx, job *api.Job, row jobRow) error {
	const text = "UPDATE jobs SET state = ?, open = ?, owner = ?, file = ?, body = ?, record = ?, updated = ?, size = ?, hash = ? WHERE id = ? AND owner = ?"
	update := func(owner string) (int64, error) {
		return t.exec(text, job.State, !job.State.Final(), j.owner.name, row.file, row.body, row.record, stamp(job.Updated), job.Identity.Size, row.hash, job.ID, owner)
	}
	n, err := update(j.owner.name)
	if err == nil && n == 0 {
		// The job does not belong to this process, or does not exist.
		var owner string
		switch err := t.queryRow("SELECT owner FROM jobs WHERE id = ?", job.ID).Scan(&owner); {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("job %d: %w", job.ID, ErrNoJob)
		case err != nil:
			return err
		case !ownerGone(j.path, owner):
			return fmt.Errorf("job %d: %w", job.ID, ErrTaken)
		}
		_, err = update(owner)
	}
	if err != nil || job.State != api.Stored || job.File == nil {
		return err
	}
	if err := saveFile(t, job.Profile, job.File, job.Updated); err != nil {
		return err
	}
	hooked := job.OwnWebhook || job.Upload.WebhookURL.IsSet()
	_, err = addRuns(t, withRequest(job, api.RunsOf(job.Profile, job.File, hooked, job.Updated)), job.ID)
	return err
}

// SetPriority changes only the priority of a job.
func (j *Journal) SetPriority(ctx context.Context, id int64, priority int) error {
	return j.exec(ctx, "UPDATE jobs SET priority = ? WHERE id = ?", priority, id)
}

// StoredSize reports whether content of a size in bytes was stored. Only such files need to be hashed.
func (j *Journal) StoredSize(ctx context.Context, profile string, size int64) (bool, error) {
	_, found, err := first(ctx, j, value[int], "SELECT 1 FROM jobs WHERE profile = ? AND size = ? AND hash <> '' LIMIT 1", profile, size)
	return found, err
}

// StoredAs returns the newest job that stored content of that size in bytes and hash in a folder of a
// profile, and false if there is none. The service may have deleted it since.
func (j *Journal) StoredAs(ctx context.Context, profile, folder string, size int64, hash string) (api.Job, bool, error) {
	folder, _ = api.CleanFolder(folder)
	jobs, err := list(ctx, j, scanJob, jobColumns+"WHERE profile = ? AND size = ? AND hash = ? AND hash <> '' ORDER BY id DESC", profile, size, hash)
	at := slices.IndexFunc(jobs, func(job api.Job) bool {
		place, _ := api.CleanFolder(job.Upload.Folder.Or("/"))
		return place == folder
	})
	if err != nil || at < 0 {
		return api.Job{}, false, err
	}
	return jobs[at], true, nil
}

// HasCompetingJob reports whether a job other than job has stored the file of that ID, or may have: one
// with the same path and size that was sent and whose outcome is open or unknown.
func (j *Journal) HasCompetingJob(ctx context.Context, job api.Job, fileID string) (bool, error) {
	others, err := list(ctx, j, scanJob, jobColumns+`WHERE profile = ? AND id <> ?
		AND (file = ? AND file <> '' OR size = ? AND state IN ('waiting', 'sending', 'offline', 'unknown', 'processing'))`,
		job.Profile, job.ID, fileID, job.Identity.Size)
	return slices.ContainsFunc(others, func(other api.Job) bool {
		return other.State == api.Stored || other.Attempts > 0 && api.PathOf(&other.Upload) == api.PathOf(&job.Upload)
	}), err
}

// Job returns a job, and false if it does not exist.
func (j *Journal) Job(ctx context.Context, id int64) (api.Job, bool, error) {
	return first(ctx, j, scanJob, jobColumns+"WHERE id = ?", id)
}

// SentAs returns the newest job that stored a file, and false if there is none.
func (j *Journal) SentAs(ctx context.Context, profile, fileID string) (api.Job, bool, error) {
	return first(ctx, j, scanJob, jobColumns+"WHERE profile = ? AND file = ? AND state = ? ORDER BY id DESC LIMIT 1", profile, fileID, api.Stored)
}

const jobColumns = "SELECT id, body, record, updated, priority FROM jobs "

// Jobs returns jobs, newest last.
func (j *Journal) Jobs(ctx context.Context, f JobFilter) ([]api.Job, error) {
	where := "WHERE 1"
	var args []any
	switch {
	case f.Open:
		where += " AND (open = 1 OR state = 'processing')"
	case f.State != "" && !f.State.Final():
		where += " AND open = 1" // has an index
	}
	if f.Failed || f.State == api.Processing {
		where += " AND " + hasFailed
	}
	for _, c := range []struct{ column, value string }{{"state", string(f.State)}, {"profile", f.Profile}, {"batch", f.Batch}} {
		if c.value != "" {
			where += " AND " + c.column + " = ?"
			args = append(args, c.value)
		}
	}
	if f.Batch != "" {
		where += " AND batch <> ''" // for the index
	}
	where += " ORDER BY id DESC"
	if f.Limit > 0 {
		where += fmt.Sprintf(" LIMIT %d", f.Limit)
	}
	jobs, err := list(ctx, j, scanJob, jobColumns+where, args...)
	slices.Reverse(jobs)
	return jobs, err
}

// Mentions reports whether the text occurs in a job that may be continued, or in a draft.
func (j *Journal) Mentions(ctx context.Context, text string) (bool, error) {
	found, _, err := first(ctx, j, value[bool], `SELECT EXISTS (SELECT 1 FROM jobs WHERE instr(body, ?1) AND
			(open = 1 OR state IN ('unsent', 'unknown', 'processing') AND NOT instr(body, '"dismissed":true')))
		OR EXISTS (SELECT 1 FROM drafts WHERE instr(body, ?1))`, text)
	return found, err
}

// OpenJobs returns the number of jobs of a profile without an outcome.
func (j *Journal) OpenJobs(ctx context.Context, profile string) (int, error) {
	n, _, err := first(ctx, j, value[int], "SELECT count(*) FROM jobs WHERE profile = ? AND open = 1", profile)
	return n, err
}

// MaxClaim is the maximum number of jobs that Claim takes at a time, so that a long list does not delay
// the start.
const MaxClaim = 2000

// Claim makes this process the owner of jobs without an outcome whose owner has ended or released
// them, and returns them in the order in which they are sent. If ids is nil, it claims up to MaxClaim
// jobs of the profile: call it again for more. Otherwise it omits those of other running processes.
// Two processes never get the same job.
func (j *Journal) Claim(ctx context.Context, profile string, ids []int64) ([]api.Job, error) {
	// Usually nothing can be claimed, and checking that needs no write transaction.
	free, err := j.freeOwners(ctx, profile)
	if err != nil || len(free) == 0 {
		return nil, err
	}
	var claimed []api.Job
	err = j.change(ctx, func(t tx) error {
		claimed = nil
		for _, owner := range free {
			limit := MaxClaim - len(claimed)
			if ids != nil {
				limit = -1 // all
			}
			if limit == 0 {
				return nil
			}
			rows, err := t.query(jobColumns+"WHERE id IN ("+nextOf+")", profile, owner, limit)
			jobs, err := collect(rows, err, scanJob)
			if err != nil {
				return err
			}
			for _, job := range jobs {
				if ids != nil && !slices.Contains(ids, job.ID) {
					continue
				}
				if err := j.takeOver(t, &job, owner); err != nil {
					return err
				}
				claimed = append(claimed, job)
			}
		}
		return nil
	})
	slices.SortFunc(claimed, func(a, b api.Job) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID))
	})
	return claimed, err
}

// Reopen sets jobs with an outcome other than stored to waiting and makes this process their owner, all
// or none. It selects those of ids (nil means all of the profile) that may accepts and that no other
// running process owns. It returns the reopened jobs, sorted by ID.
func (j *Journal) Reopen(ctx context.Context, profile string, ids []int64, may func(*api.Job) bool) ([]api.Job, error) {
	var reopened []api.Job
	err := j.change(ctx, func(t tx) error {
		var err error
		if reopened, err = j.failedJobs(t, profile, ids, may); err != nil {
			return err
		}
		now := time.Now()
		for i := range reopened {
			job := &reopened[i]
			job.State, job.File, job.Dismissed, job.Updated = api.Waiting, nil, false, now
			row, err := newJobRow(job)
			if err != nil {
				return err
			}
			if _, err := t.exec("UPDATE jobs SET state = ?, open = 1, owner = ?, body = ?, updated = ? WHERE id = ?",
				job.State, j.owner.name, row.body, stamp(now), job.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return reopened, err
}

func (j *Journal) failedJobs(t tx, profile string, ids []int64, may func(*api.Job) bool) (found []api.Job, err error) {
	rows, err := t.query("SELECT owner, id, body, record, updated, priority FROM jobs WHERE profile = ? AND "+hasFailed+" ORDER BY id", profile)
	type owned struct {
		owner string
		job   api.Job
	}
	failed, err := collect(rows, err, func(scan scan) (o owned, err error) {
		o.job, err = scanJob(func(into ...any) error { return scan(append([]any{&o.owner}, into...)...) })
		return o, err
	})
	free := map[string]bool{j.owner.name: true} // owners that have ended, or this process
	for _, o := range failed {
		if ids != nil && !slices.Contains(ids, o.job.ID) || !may(&o.job) {
			continue
		}
		if _, known := free[o.owner]; !known {
			free[o.owner] = ownerGone(j.path, o.owner)
		}
		if free[o.owner] {
			found = append(found, o.job)
		}
	}
	return found, err
}

// hasFailed is the condition of the index jobs_failed.
const hasFailed = "state IN ('refused', 'unsent', 'unknown', 'cancelled', 'processing')"

// takeOver makes this process the owner of a job. If the previous owner released it, the journal is
// complete. If it was killed, it may have sent the job under a name made here without journaling that.
func (j *Journal) takeOver(t tx, job *api.Job, from string) error {
	if from == "" || job.Evidence != api.NotSent || !job.OwnName() {
		_, err := t.exec("UPDATE jobs SET owner = ? WHERE id = ?", j.owner.name, job.ID)
		return err
	}
	job.Evidence = api.Orphaned
	row, err := newJobRow(job)
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE jobs SET owner = ?, body = ? WHERE id = ?", j.owner.name, row.body, job.ID)
	return err
}

// freeOwners returns the owners of open jobs whose process has ended. Names are never reused. It
// steps from name to name, since DISTINCT would read all jobs.
func (j *Journal) freeOwners(ctx context.Context, profile string) ([]string, error) {
	owners, err := list(ctx, j, value[string], `WITH RECURSIVE owners(owner) AS (
			SELECT min(owner) FROM jobs WHERE open = 1 AND profile = ?1
			UNION ALL
			SELECT (SELECT min(owner) FROM jobs WHERE open = 1 AND profile = ?1 AND owner > owners.owner) FROM owners WHERE owner IS NOT NULL
		) SELECT owner FROM owners WHERE owner IS NOT NULL`, profile)
	return slices.DeleteFunc(owners, func(owner string) bool { return owner == j.owner.name || !ownerGone(j.path, owner) }), err
}

// nextOf selects the first jobs of an owner, in the order of the index jobs_open.
const nextOf = "SELECT id FROM jobs WHERE open = 1 AND profile = ? AND owner = ? ORDER BY priority DESC, id LIMIT ?"

// Release gives up this process's ownership of jobs, so that this or another process can claim them.
func (j *Journal) Release(ctx context.Context, ids []int64) error {
	return j.exec(ctx, "UPDATE jobs SET owner = '' WHERE id IN (SELECT value FROM json_each(?)) AND owner = ?", idList(ids), j.owner.name)
}

// withRequest adds the requested options of the upload to runs.
func withRequest(job *api.Job, runs []api.Run) []api.Run {
	list := job.Upload.Extensions.Or(nil)
	for i := range runs {
		for n := range list {
			if strings.EqualFold(list[n].Name, runs[i].Extension) {
				runs[i].Asked = &list[n]
			}
		}
	}
	return runs
}

// jobRow is a row of the table of jobs. The record is separate, because only the service's text is
// complete.
type jobRow struct {
	file, body string
	record     sql.NullString
	hash       string // of stored content
}

func newJobRow(job *api.Job) (jobRow, error) {
	var row jobRow
	body := *job
	body.File = nil
	text, err := json.Marshal(&body)
	if err != nil {
		return row, fmt.Errorf("job %d cannot be written: %w", job.ID, err)
	}
	row.body = string(text)
	if job.State == api.Stored {
		row.hash = job.Hash
	}
	if job.File != nil {
		text, err := recordText(job.File)
		if err != nil {
			return row, err
		}
		row.file, row.record = job.File.FileID, sql.NullString{String: text, Valid: true}
	}
	return row, nil
}

// scanJob reads a job: its id, body, record, updated and priority.
func scanJob(scan scan) (job api.Job, err error) {
	var id int64
	var body string
	var file *api.File
	var updated time.Time
	var priority int
	if err := scan(&id, &body, asJSON{&file}, when{&updated}, &priority); err != nil {
		return job, fmt.Errorf("the record of job %d cannot be read: %w", id, err)
	}
	if err := decode(body, &job); err != nil {
		return job, fmt.Errorf("job %d cannot be read: %w", id, err)
	}
	job.ID, job.File, job.Updated, job.Priority = id, file, updated, priority
	return job, nil
}

// recordText returns the record as the service wrote it, or its encoding if it has no such text.
func recordText(f *api.File) (string, error) {
	if f.Raw != nil {
		return string(f.Raw), nil
	}
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("the record of %q cannot be written: %w", f.FileID, err)
	}
	return string(text), nil
}

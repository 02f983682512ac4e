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
	"mediadesk/api/commit"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// ErrTaken reports that a job belongs to another running process.
var ErrTaken = errors.New("another mediadesk that is running has this upload")

// ErrNoJob reports that no job has the given ID.
var ErrNoJob = errors.New("there is no such job")

// JobFilter selects jobs. The zero filter selects all.
type JobFilter struct {
	Profile string    // or empty
	Open    bool      // see [job.State.Open]
	Failed  bool      // all outcomes other than stored, dismissed ones, too: more than [job.Job.Failed]
	State   job.State // or empty
	Limit   int       // only the newest so many; 0 means no limit
}

// AddJobs saves new jobs, all or none, and returns them with their IDs and times. They belong to
// this process.
func (j *Journal) AddJobs(ctx context.Context, jobs []job.Job) ([]job.Job, error) {
	added := slices.Clone(jobs)
	now := time.Now()
	err := j.change(ctx, func(t tx) error {
		for i := range added {
			upload := &added[i]
			upload.State = cmp.Or(upload.State, job.Waiting)
			upload.Created = cmp.Or(upload.Created, now)
			upload.Updated = now
			row, err := newJobRow(upload)
			if err != nil {
				return err
			}
			upload.ID, err = t.insert("INSERT INTO jobs (profile, state, open, owner, file, body, record, updated, size, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				upload.Profile, upload.State, !upload.State.Final(), j.owner.name, row.file, row.body,
				row.record, stamp(upload.Updated), upload.Identity.Size, row.hash)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return added, err
}

// UpdateJob saves a job; if its owner has ended, this process becomes its owner. For a stored job it
// also saves the record and the runs in the answer, in the same commit. It returns ErrTaken if the job
// belongs to another running process, and ErrNoJob if there is none.
func (j *Journal) UpdateJob(ctx context.Context, upload job.Job) error {
	upload.Updated = time.Now()
	row, err := newJobRow(&upload)
	if err != nil {
		return &Error{j.path, true, err}
	}
	return j.change(ctx, func(t tx) error { return j.updateJob(t, &upload, row) })
}

// NoteJob is UpdateJob without waiting: it is committed in order with the other changes, and lost
// in a crash before that.
func (j *Journal) NoteJob(upload job.Job) {
	upload.Updated = time.Now()
	row, err := newJobRow(&upload)
	j.writer.Start(context.Background(), func(c *commit.Conn) error {
		if err != nil {
			return err
		}
		return j.updateJob(tx{c}, &upload, row)
	}, func(err error) {
		if err != nil {
			slog.Warn("a change of a job was not written", "job", upload.ID, "err", err)
		}
	})
}

func (j *Journal) updateJob(t tx, upload *job.Job, row jobRow) error {
	const text = "UPDATE jobs SET state = ?, open = ?, owner = ?, file = ?, body = ?, record = ?, updated = ?, size = ?, hash = ? WHERE id = ? AND owner = ?"
	update := func(owner string) (int64, error) {
		return t.exec(text, upload.State, !upload.State.Final(), j.owner.name, row.file, row.body, row.record,
			stamp(upload.Updated), upload.Identity.Size, row.hash, upload.ID, owner)
	}
	n, err := update(j.owner.name)
	if err == nil && n == 0 {
		// The job does not belong to this process, or does not exist.
		var owner string
		switch err := t.row("SELECT owner FROM jobs WHERE id = ?", upload.ID)(&owner); {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("job %d: %w", upload.ID, ErrNoJob)
		case err != nil:
			return err
		case !ownerGone(j.path, owner):
			return fmt.Errorf("job %d: %w", upload.ID, ErrTaken)
		}
		_, err = update(owner)
	}
	if err != nil || upload.State != job.Stored || upload.File == nil {
		return err
	}
	if err := saveFile(t, upload.Profile, upload.File, upload.Updated); err != nil {
		return err
	}
	hooked := upload.JobWebhook || upload.Upload.WebhookURL.IsSet()
	runs := job.RunsOf(upload.Profile, upload.File, hooked, upload.Updated)
	list := upload.Upload.Extensions.Or(nil)
	for i := range runs {
		for n := range list {
			if strings.EqualFold(list[n].Name, runs[i].Extension) {
				runs[i].Requested = &list[n]
			}
		}
	}
	return addRuns(t, runs, upload.ID)
}

// StoredSize reports whether content of a size in bytes was stored. Only such files need to be
// hashed.
func (j *Journal) StoredSize(ctx context.Context, profile string, size int64) (bool, error) {
	_, found, err := first(ctx, j, value[int], "SELECT 1 FROM jobs WHERE profile = ? AND size = ? AND hash <> '' LIMIT 1", profile, size)
	return found, err
}

// StoredAs returns the newest job that stored content of that size in bytes and hash in a folder
// of a profile, and false if there is none. The service may have deleted it since.
func (j *Journal) StoredAs(ctx context.Context, profile, folder string, size int64,
	hash string,
) (job.Job, bool, error) {
	folder, _ = rule.CleanFolder(folder)
	jobs, err := list(ctx, j, scanJob, jobColumns+"WHERE profile = ? AND size = ? AND hash = ? AND hash <> '' ORDER BY id DESC", profile, size, hash)
	at := slices.IndexFunc(jobs, func(upload job.Job) bool {
		place, _ := rule.CleanFolder(upload.Upload.Folder.Or("/"))
		return place == folder
	})
	if err != nil || at < 0 {
		return job.Job{}, false, err
	}
	return jobs[at], true, nil
}

// HasCompetingJob reports whether a job other than upload has stored the file of that ID, or may
// have: one with the same path and size that was sent and whose outcome is open or unknown.
func (j *Journal) HasCompetingJob(ctx context.Context, upload job.Job, fileID string) (bool, error) {
	others, err := list(ctx, j, scanJob, jobColumns+`WHERE profile = ? AND id <> ? AND (file = ? AND file <> ''
		OR size = ? AND state IN ('waiting', 'sending', 'offline', 'unknown', 'processing'))`,
		upload.Profile, upload.ID, fileID, upload.Identity.Size)
	return slices.ContainsFunc(others, func(other job.Job) bool {
		return other.State == job.Stored || other.Attempts > 0 &&
			rule.PathOf(&other.Upload) == rule.PathOf(&upload.Upload)
	}), err
}

// Job returns a job, and false if it does not exist.
func (j *Journal) Job(ctx context.Context, id int64) (job.Job, bool, error) {
	return first(ctx, j, scanJob, jobColumns+"WHERE id = ?", id)
}

// JobOfFile returns the newest job that stored a file, and false if there is none.
func (j *Journal) JobOfFile(ctx context.Context, profile, fileID string) (job.Job, bool, error) {
	return first(ctx, j, scanJob, jobColumns+"WHERE profile = ? AND file = ? AND state = ? ORDER BY id DESC LIMIT 1", profile, fileID, job.Stored)
}

const jobColumns = "SELECT id, body, record, updated FROM jobs "

// Jobs returns jobs, newest last.
func (j *Journal) Jobs(ctx context.Context, f JobFilter) ([]job.Job, error) {
	where := "WHERE 1"
	switch {
	case f.Open:
		where += " AND (open = 1 OR state = 'processing')"
	case f.State != "" && !f.State.Final():
		where += " AND open = 1" // has an index
	}
	if f.Failed || f.State == job.Processing {
		where += " AND " + hasFailed
	}
	text, args := newest(jobColumns+where, f.Limit, "state", string(f.State), "profile", f.Profile)
	jobs, err := list(ctx, j, scanJob, text, args...)
	slices.Reverse(jobs)
	return jobs, err
}

// Mentions reports whether the text occurs in a draft, or in a job that is open, or that is unsent,
// unknown or processing and not dismissed.
func (j *Journal) Mentions(ctx context.Context, text string) (bool, error) {
	found, _, err := first(ctx, j, value[bool], `SELECT EXISTS (SELECT 1 FROM jobs WHERE instr(body, ?1) AND
			(open = 1 OR state IN ('unsent', 'unknown', 'processing')
			AND NOT instr(body, '"dismissed":true'))) OR EXISTS (SELECT 1 FROM drafts WHERE instr(body, ?1))`, text)
	return found, err
}

// Claim makes this process the owner of jobs without an outcome whose owner has ended or released
// them, and returns them in the order in which they are sent: those of ids, or all of the profile if
// ids is nil. Two processes never get the same job.
func (j *Journal) Claim(ctx context.Context, profile string, ids []int64) ([]job.Job, error) {
	// Usually nothing can be claimed, and checking that needs no write transaction.
	free, err := j.endedOwners(ctx, profile, "jobs WHERE open = 1")
	if err != nil || len(free) == 0 {
		return nil, err
	}
	var claimed []job.Job
	err = j.change(ctx, func(t tx) error {
		claimed = nil
		for _, owner := range free {
			jobs, err := collect(t.query, scanJob, jobColumns+openOf, profile, owner)
			if err != nil {
				return err
			}
			for _, upload := range jobs {
				if ids != nil && !slices.Contains(ids, upload.ID) {
					continue
				}
				if err := j.adopt(t, &upload, owner); err != nil {
					return err
				}
				claimed = append(claimed, upload)
			}
		}
		return nil
	})
	slices.SortFunc(claimed, func(a, b job.Job) int { return cmp.Compare(a.ID, b.ID) })
	return claimed, err
}

// Reopen sets jobs with an outcome other than stored to waiting and makes this process their
// owner, all or none. It selects those of ids (nil means all of the profile) that may accepts, which can
// change them, and that no other running process owns. It returns the reopened jobs, sorted by ID.
func (j *Journal) Reopen(ctx context.Context, profile string, ids []int64,
	may func(*job.Job) bool,
) ([]job.Job, error) {
	ended, err := j.endedOwners(ctx, profile, "jobs WHERE "+hasFailed)
	if err != nil {
		return nil, err
	}
	owners := string(rule.JSON(append(ended, j.owner.name)))
	var reopened []job.Job
	err = j.change(ctx, func(t tx) error {
		failed, err := collect(t.query, scanJob, jobColumns+"WHERE profile = ? AND "+hasFailed+" AND owner IN (SELECT value FROM json_each(?)) ORDER BY id", profile, owners)
		if err != nil {
			return err
		}
		reopened = nil
		now := time.Now()
		for _, upload := range failed {
			if ids != nil && !slices.Contains(ids, upload.ID) || !may(&upload) {
				continue
			}
			upload.State, upload.File, upload.Dismissed, upload.Updated = job.Waiting, nil, false, now
			row, err := newJobRow(&upload)
			if err != nil {
				return err
			}
			reopened = append(reopened, upload)
			if _, err := t.exec("UPDATE jobs SET state = ?, open = 1, owner = ?, body = ?, updated = ? WHERE id = ?",
				upload.State, j.owner.name, row.body, stamp(now), upload.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return reopened, err
}

// hasFailed repeats the condition of the index jobs_failed, or SQLite does not use it.
const hasFailed = "state IN ('refused', 'unsent', 'unknown', 'cancelled', 'processing')"

// adopt makes this process the owner of a job. If the previous owner released it, the journal is
// complete. If it was killed, it may have sent the job under a name made here without journaling
// that.
func (j *Journal) adopt(t tx, upload *job.Job, from string) error {
	if from != "" && upload.Evidence == job.NotSent && upload.HasUniqueName() {
		upload.Evidence = job.Orphaned
	}
	row, err := newJobRow(upload)
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE jobs SET owner = ?, body = ? WHERE id = ?", j.owner.name, row.body, upload.ID)
	return err
}

// endedOwners returns the owners of rows of a profile whose process has ended, and "" for what was
// released. from is a table with a condition. Names are never reused.
func (j *Journal) endedOwners(ctx context.Context, profile, from string) ([]string, error) {
	owners, err := list(ctx, j, value[string], "SELECT DISTINCT owner FROM "+from+" AND profile = ?", profile)
	return slices.DeleteFunc(owners, func(owner string) bool {
		return owner == j.owner.name || !ownerGone(j.path, owner)
	}), err
}

// openOf selects the open jobs of an owner, in the order of the index jobs_open.
const openOf = "WHERE open = 1 AND profile = ? AND owner = ? ORDER BY id"

// Release gives up this process's ownership of jobs, so that this or another process can claim
// them.
func (j *Journal) Release(ctx context.Context, ids []int64) error {
	return j.exec(ctx, "UPDATE jobs SET owner = '' WHERE id IN (SELECT value FROM json_each(?)) AND owner = ?",
		string(rule.JSON(ids)), j.owner.name)
}

// jobRow is a row of the table of jobs. The record is separate, because only the service's text is
// complete.
type jobRow struct {
	file, body string
	record     sql.NullString
	hash       string // of stored content
}

func newJobRow(j *job.Job) (jobRow, error) {
	var row jobRow
	body := *j
	body.File = nil
	text, err := json.Marshal(&body)
	if err != nil {
		return row, fmt.Errorf("job %d cannot be written: %w", j.ID, err)
	}
	row.body = string(text)
	if j.State == job.Stored {
		row.hash = j.Hash
	}
	if j.File != nil {
		text, err := recordText(j.File)
		if err != nil {
			return row, err
		}
		row.file, row.record = j.File.FileID, sql.NullString{String: text, Valid: true}
	}
	return row, nil
}

// scanJob reads a job: its id, body, record and updated.
func scanJob(scan scan) (j job.Job, err error) {
	var id int64
	var body string
	var file *api.File
	var updated time.Time
	if err := scan(&id, &body, asJSON{&file}, when{&updated}); err != nil {
		return j, fmt.Errorf("the record of job %d cannot be read: %w", id, err)
	}
	if err := decode(body, &j); err != nil {
		return j, fmt.Errorf("job %d cannot be read: %w", id, err)
	}
	j.ID, j.File, j.Updated = id, file, updated
	return j, nil
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

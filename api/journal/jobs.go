package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mediadesk/api"
)

// ErrTaken says that a job belongs to another process that is still running.
var ErrTaken = errors.New("the job belongs to another mediadesk that is running")

// ErrNoJob says that there is no job of that id.
var ErrNoJob = errors.New("there is no such job")

// JobFilter says which jobs are meant. The zero filter means all.
type JobFilter struct {
	Profile string // empty: every profile
	Open    bool   // only those without an outcome
	Limit   int    // the newest so many; 0: all
}

// AddJobs keeps new jobs, all or none, and returns them with their ids and
// times. They belong to this process.
func (j *Journal) AddJobs(ctx context.Context, jobs []api.Job) ([]api.Job, error) {
	added := slices.Clone(jobs)
	now := time.Now()
	err := j.change(ctx, func(t *tx) error {
		for i := range added {
			job := &added[i]
			if job.State == "" {
				job.State = api.Waiting
			}
			if job.Created.IsZero() {
				job.Created = now
			}
			job.Updated = now
			row, err := newJobRow(job)
			if err != nil {
				return err
			}
			res, err := t.exec("INSERT INTO jobs (profile, state, open, owner, file, body, record, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
				job.Profile, job.State, !job.State.Final(), j.owner.name, row.file, row.body, row.record, stamp(job.Updated))
			if err != nil {
				return err
			}
			if job.ID, err = res.LastInsertId(); err != nil {
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

// UpdateJob keeps a job as it is now. With a stored one it keeps the record
// among the files seen and the runs that the answer speaks of, all in one
// commit. ErrTaken where the job belongs to another running process.
func (j *Journal) UpdateJob(ctx context.Context, job api.Job) error {
	job.Updated = time.Now()
	return j.change(ctx, func(t *tx) error {
		var owner string
		switch err := t.queryRow("SELECT owner FROM jobs WHERE id = ?", job.ID).Scan(&owner); {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("job %d: %w", job.ID, ErrNoJob)
		case err != nil:
			return err
		}
		if owner != j.owner.name && !gone(j.path, owner) {
			return fmt.Errorf("job %d: %w", job.ID, ErrTaken)
		}
		row, err := newJobRow(&job)
		if err != nil {
			return err
		}
		if _, err := t.exec("UPDATE jobs SET state = ?, open = ?, owner = ?, file = ?, body = ?, record = ?, updated = ? WHERE id = ?",
			job.State, !job.State.Final(), j.owner.name, row.file, row.body, row.record, stamp(job.Updated), job.ID); err != nil {
			return err
		}
		if job.State != api.Stored || job.File == nil {
			return nil
		}
		if err := saveFile(t, job.Profile, job.File, job.Updated); err != nil {
			return err
		}
		hooked := job.OwnWebhook || job.Upload.WebhookURL.IsSet()
		_, err = addRuns(t, api.RunsOf(job.Profile, job.File, hooked, job.Updated), job.ID)
		return err
	})
}

// Jobs returns jobs, the newest last.
func (j *Journal) Jobs(ctx context.Context, f JobFilter) ([]api.Job, error) {
	text := "SELECT id, body, record, updated FROM jobs WHERE 1"
	var args []any
	if f.Open {
		text += " AND open = 1"
	}
	if f.Profile != "" {
		text += " AND profile = ?"
		args = append(args, f.Profile)
	}
	text += " ORDER BY id DESC"
	if f.Limit > 0 {
		text += fmt.Sprintf(" LIMIT %d", f.Limit)
	}
	var jobs []api.Job
	err := j.query(ctx, func(scan func(...any) error) error {
		job, err := scanJob(scan)
		jobs = append(jobs, job)
		return err
	}, text, args...)
	slices.Reverse(jobs)
	return jobs, err
}

// Claim makes this process the owner of jobs without an outcome whose owner is
// gone or has let go of them, and returns them, the oldest first. ids nil
// means all of the profile; of ids, those that cannot be taken are left out.
// Two processes never get the same job.
func (j *Journal) Claim(ctx context.Context, profile string, ids []int64) ([]api.Job, error) {
	var claimed []api.Job
	err := j.change(ctx, func(t *tx) error {
		claimed = nil
		free, err := j.freeJobs(t, profile)
		if err != nil {
			return err
		}
		for _, job := range free {
			if ids != nil && !slices.Contains(ids, job.ID) {
				continue
			}
			if _, err := t.exec("UPDATE jobs SET owner = ? WHERE id = ?", j.owner.name, job.ID); err != nil {
				return err
			}
			claimed = append(claimed, job)
		}
		return nil
	})
	return claimed, err
}

// freeJobs are the open jobs that nobody alive owns.
func (j *Journal) freeJobs(t *tx, profile string) ([]api.Job, error) {
	rows, err := t.query("SELECT id, body, record, updated, owner FROM jobs WHERE open = 1 AND profile = ? ORDER BY id", profile)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var free []api.Job
	ended := map[string]bool{j.owner.name: false}
	for rows.Next() {
		var owner string
		job, err := scanJob(rows.Scan, &owner)
		if err != nil {
			return nil, err
		}
		if _, looked := ended[owner]; !looked {
			ended[owner] = gone(j.path, owner)
		}
		if ended[owner] {
			free = append(free, job)
		}
	}
	return free, rows.Err()
}

// Release lets go of jobs of this process, so that Claim can take them again,
// here or elsewhere.
func (j *Journal) Release(ctx context.Context, ids []int64) error {
	return j.change(ctx, func(t *tx) error {
		for _, id := range ids {
			if _, err := t.exec("UPDATE jobs SET owner = '' WHERE id = ? AND owner = ?", id, j.owner.name); err != nil {
				return err
			}
		}
		return nil
	})
}

// jobRow is a job as it is kept: its record apart, since only the text that
// the service wrote has everything in it.
type jobRow struct {
	file, body string
	record     sql.NullString
}

func newJobRow(job *api.Job) (jobRow, error) {
	var row jobRow
	bare := *job
	bare.File = nil
	body, err := json.Marshal(&bare)
	if err != nil {
		return row, fmt.Errorf("job %d cannot be written: %w", job.ID, err)
	}
	row.body = string(body)
	if job.File != nil {
		text, err := recordText(job.File)
		if err != nil {
			return row, err
		}
		row.file, row.record = job.File.FileID, sql.NullString{String: text, Valid: true}
	}
	return row, nil
}

// scanJob reads a job, and what stands behind it in the row.
func scanJob(scan func(...any) error, more ...any) (api.Job, error) {
	var (
		job     api.Job
		id      int64
		body    string
		record  sql.NullString
		updated int64
	)
	if err := scan(append([]any{&id, &body, &record, &updated}, more...)...); err != nil {
		return job, err
	}
	if err := json.Unmarshal([]byte(body), &job); err != nil {
		return job, fmt.Errorf("job %d cannot be read: %w", id, err)
	}
	job.ID, job.Updated = id, unstamp(updated)
	if record.Valid {
		job.File = new(api.File)
		if err := json.Unmarshal([]byte(record.String), job.File); err != nil {
			return job, fmt.Errorf("the record of job %d cannot be read: %w", id, err)
		}
	}
	return job, nil
}

// recordText is the record as the service wrote it, or as we would where no
// service did.
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

package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// ResumeSync finishes the uploads that an earlier sync of these folders left in the journal.
func (s *Session) ResumeSync(ctx context.Context, local, folder string) error {
	folder, _ = rule.CleanFolder(folder)
	open, err := s.Jobs(ctx, journal.JobFilter{Open: true})
	if err != nil {
		return err
	}
	var ids []int64
	for i := range open {
		rel, err := filepath.Rel(local, open[i].Upload.Source.Path)
		if err == nil && filepath.IsLocal(rel) && strings.HasPrefix(rule.PathOf(&open[i].Upload), folder) &&
			open[i].Naming == job.NameExact {
			ids = append(ids, open[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	jobs, err := s.Queue.Resume(ctx, ids)
	if err == nil && len(jobs) > 0 {
		_, err = s.Queue.Wait(ctx, job.IDs(jobs))
	}
	return err
}

// ErrSyncOpen reports an upload whose outcome is open: the next sync continues it.
var ErrSyncOpen = errors.New("the upload is not finished; run the same command to continue")

// errChangedSince reports a target that is not as it was compared.
var errChangedSince = errors.New("it changed while the sync ran; run the same command again")

// Run carries out the plan: moves, then copies, and with Delete at last the deletions, unless a
// step failed. It calls report with each finished step, one at a time. The error is about all of
// it.
func (y *Sync) Run(ctx context.Context, report func(SyncStep, error)) error {
	var mu sync.Mutex
	failed, finished := false, 0
	end := func(step SyncStep, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = failed || err != nil
		if finished++; finished%200 == 0 {
			_ = y.save() // the next time succeeds, or the last one fails
		}
		report(step, err)
	}
	var copies, extras []SyncStep
	for _, step := range y.Steps {
		switch step.Action {
		case SyncMoved:
			end(step, y.move(ctx, step))
		case SyncNew, SyncChanged:
			copies = append(copies, step)
		case SyncConflict:
			end(step, errors.New("both sides changed since the last sync: keep one of them, or rename it"))
		case SyncExtra:
			extras = append(extras, step)
		}
	}
	carry := y.download
	if y.Up {
		carry = y.upload
	}
	err := carry(ctx, copies, end)
	if y.o.Delete && !failed && err == nil && ctx.Err() == nil {
		for _, step := range extras {
			end(step, y.remove(ctx, step))
		}
	}
	return errors.Join(err, context.Cause(ctx), y.save())
}

func (y *Sync) move(ctx context.Context, step SyncStep) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !y.Up {
		l, f := y.files[step.Was], y.records[step.Path]
		to, err := y.locate(f)
		if err == nil {
			err = y.unchanged(l)
		}
		if err == nil {
			err = publishAs(l.source.Path, to)
		}
		if err == nil {
			y.note(step.Path, l, f, l.hash)
			y.forget(step.Was)
		}
		return err
	}
	l, f := y.files[step.Path], y.records[step.Was]
	to := path.Join(y.folder, step.Path)
	after := f
	for _, at := range []string{path.Join(y.folder, y.between(step.Was, step.Path)), to} {
		var err error
		switch {
		case at == after.FilePath:
			continue
		case path.Dir(at) != path.Dir(after.FilePath):
			after, err = y.s.Move(ctx, "", *after, path.Dir(at)+"/")
		default:
			after, err = y.s.Rename(ctx, "", *after, path.Base(at))
		}
		if err != nil || after == nil {
			return errors.Join(err, ctx.Err())
		}
	}
	y.note(step.Path, l, after, l.hash)
	y.forget(step.Was)
	return nil
}

// upload stores local files under their exact names. A changed file becomes a new version that
// keeps what else is known of the file.
func (y *Sync) upload(ctx context.Context, steps []SyncStep, end func(SyncStep, error)) error {
	batch := NewBatch(time.Now())
	var jobs []job.Job
	var queued []SyncStep
	for _, step := range steps {
		l, folder := y.files[step.Path], path.Join(y.folder, path.Dir(step.Path))+"/"
		u := api.Upload{
			Source: l.source, FileName: path.Base(step.Path), Folder: api.Set(folder),
			OverwriteFile: api.Set(step.Action == SyncChanged), OverwriteTags: api.Set(false),
			OverwriteAITags: api.Set(false), OverwriteCustomMetadata: api.Set(false),
		}
		job.ApplyNaming(&u, job.NameExact)
		id, err := api.Identify(l.source.Path)
		if err == nil {
			err = errors.Join(append(entry.CheckUpload(&u),
				rule.CheckSize(id.Size, y.s.Profile.MaxSize))...)
		}
		if err != nil {
			end(step, err)
			continue
		}
		jobs = append(jobs, job.Job{
			Profile: y.s.Profile.Name, Upload: u, Naming: job.NameExact,
			State: job.Waiting, Identity: id, Batch: batch,
		})
		queued = append(queued, step)
	}
	if len(jobs) == 0 {
		return nil
	}
	jobs, err := y.s.Send(ctx, jobs)
	if err != nil {
		return err
	}
	for i, j := range jobs {
		done, err := y.s.Queue.Wait(ctx, []int64{j.ID})
		if ctx.Err() != nil {
			return nil // the rest stays in the journal
		}
		if err != nil {
			return err
		}
		switch j := done[0]; {
		case j.State.Open():
			end(queued[i], ErrSyncOpen)
		case j.State != job.Stored:
			end(queued[i], api.WithHint(fmt.Errorf("%s: %s", j.State, j.Reason()), j.Failure.Help))
		default:
			l := *y.files[queued[i].Path]
			l.modified = j.Identity.Modified // as it was sent
			if j.File != nil {
				y.note(queued[i].Path, &l, j.File, j.Hash)
			}
			end(queued[i], nil)
		}
	}
	return nil
}

func (y *Sync) download(ctx context.Context, steps []SyncStep, end func(SyncStep, error)) error {
	sideBySide(ctx, len(steps), cmp.Or(y.o.Concurrency, downloads), func(i int) {
		step := steps[i]
		l, hash, err := y.fetch(ctx, step)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			y.note(step.Path, l, y.records[step.Path], hash)
		}
		end(step, err)
	})
	return nil
}

func (y *Sync) fetch(ctx context.Context, step SyncStep) (*localFile, string, error) {
	f, before := y.records[step.Path], y.files[step.Path]
	to, err := y.locate(f)
	if err != nil {
		return nil, "", err
	}
	if before != nil {
		to = before.source.Path
	}
	part, err := y.s.fetchPart(ctx, *f, filepath.Dir(to), nil)
	if err != nil {
		return nil, "", err
	}
	defer os.Remove(part)
	hash := ""
	if f.Size.Or(1) > 0 {
		if hash, _, err = api.HashSource(part); err != nil {
			return nil, "", err
		}
	}
	if before == nil {
		err = publishAs(part, to)
	} else if err = y.unchanged(before); err == nil {
		err = atomicfile.Rename(part, to)
	}
	if err != nil {
		return nil, "", err
	}
	info, err := os.Stat(to)
	if err != nil {
		return nil, "", err
	}
	return &localFile{source: api.Source{Path: to}, size: info.Size(), modified: info.ModTime()}, hash, nil
}

// locate returns the local path for a stored file, in a folder that exists. It is never outside the
// local folder.
func (y *Sync) locate(f *api.File) (string, error) {
	dir := localFolder(y.local, strings.TrimPrefix(f.FilePath, y.folder))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(y.local)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s leads out of the folder", dir)
	}
	return filepath.Join(dir, localName(*f)), nil
}

// publishAs gives a file the path to, which nothing may have.
func publishAs(from, to string) error {
	claim, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return errChangedSince
	}
	if err != nil {
		return err
	}
	if err := errors.Join(claim.Close(), atomicfile.Rename(from, to)); err != nil {
		os.Remove(to)
		return err
	}
	return nil
}

func (y *Sync) unchanged(l *localFile) error {
	info, err := os.Stat(l.source.Path)
	if err == nil && (info.Size() != l.size || !info.ModTime().Equal(l.modified)) {
		err = errChangedSince
	}
	return err
}

func (y *Sync) remove(ctx context.Context, step SyncStep) (err error) {
	switch l := y.files[step.Path]; {
	case ctx.Err() != nil:
		return ctx.Err()
	case y.Up:
		err = y.s.Delete(ctx, *y.records[step.Path])
	default:
		if err = y.unchanged(l); err == nil {
			err = os.Remove(l.source.Path)
		}
	}
	if err == nil {
		y.forget(step.Path)
	}
	return err
}

package queue

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

type presence uint8

const (
	notChecked  presence = iota
	isThere              // it is stored
	isMissing            // the service lists files, but none is surely this one
	isOther              // a file with another content has its exact name
	cannotCheck          // the service does not list files, or the one it lists may be another
	checkFailed          // the service did not answer
	noTime               // the program is closing
)

type checkResult struct {
	presence presence
	file     *api.File // its record if stored; nil if the service does not show it
	help     string    // advice, as in job.Failure.Help
}

const checkTimeout = time.Minute

func (q *Queue) check(ctx context.Context, j *job.Job) checkResult {
	if context.Cause(ctx) != nil && q.context().Err() != nil {
		return closing(j)
	}
	// Canceling the job does not end the check.
	ctx, cancel := context.WithTimeout(q.context(), checkTimeout)
	defer cancel()
	folder, _ := rule.CleanFolder(j.Upload.Folder.Or("/")) // an invalid one is refused before sending
	query := api.Query{Folder: folder, Name: rule.StoredName(j.Upload.FileName)}
	exact := !j.Upload.UseUniqueFileName.Or(true)
	if !exact {
		query.Name, query.Sort, query.Limit = "", "DESC_CREATED", 100
	}
	files, err := q.o.Sender.List(ctx, query)
	switch {
	case err == nil && exact:
		return q.checkExact(ctx, j, files)
	case err == nil:
		return q.checkSuffixed(ctx, j, files)
	case q.context().Err() != nil:
		return closing(j)
	case api.Unavailable(err), api.KeyRefused(err): // it does not list files, at least for this key
		return checkResult{presence: cannotCheck, help: "This service does not list its files, so mediadesk cannot find out whether " +
			rule.PathOf(&j.Upload) + " arrived. Look in the library of the service before you send it again."}
	}
	return checkResult{presence: checkFailed, help: "The search for " + rule.PathOf(&j.Upload) +
		" failed too (" + err.Error() + "). Look in the library before you send it again."}
}

func closing(j *job.Job) checkResult {
	return checkResult{presence: noTime, help: "The program closed before it could search for " + rule.PathOf(&j.Upload) + ". Look in the library before you send it again."}
}

// checkExact looks for a file with the exact name of a job. If the service overwrites nothing, a
// file of that name that was created since the first attempt and has the same content is the
// job's.
func (q *Queue) checkExact(ctx context.Context, j *job.Job, files []api.File) checkResult {
	u := &j.Upload
	at := slices.IndexFunc(files, func(f api.File) bool {
		has, wants := f.FilePath, rule.PathOf(u)
		if has == "" {
			has, wants = f.Name, rule.StoredName(u.FileName)
		}
		return !f.IsFolder() && norm.NFC.String(has) == norm.NFC.String(wants)
	})
	if at < 0 {
		return checkResult{presence: isMissing, help: fmt.Sprintf("The library does not show %s. It may still arrive: check once more before you send it again.", rule.PathOf(u))}
	}
	there, began := &files[at], firstAttempt(j)
	if j.HasUniqueName() {
		return checkResult{presence: isThere, file: there} // this name is unique
	}
	keeps := j.RepeatsSafely()
	isNew := !rule.Created(there).Before(began) || !keeps && !rule.Updated(there).Before(began)
	content := q.compareContent(ctx, j, there)
	version := there.VersionID()
	switch {
	case keeps && content == otherContent && // it still has the content with which it was created
		(version == there.FileID || version == "" && !rule.Updated(there).After(rule.Created(there))):
		return checkResult{presence: isOther}
	case isNew && (content == sameContent && (keeps || sameTags(j, there)) || content == sameSize &&
		keeps) && !q.hasCompetingJob(ctx, j, there):
		return checkResult{presence: isThere, file: there}
	case keeps:
		return checkResult{presence: cannotCheck, help: fmt.Sprintf(
			"The library has a file at %s, %s. It may be another one.", rule.PathOf(u), describeFile(there))}
	}
	return checkResult{presence: isMissing, help: fmt.Sprintf(
		"The library has %s, %s. Compare it before you send it again: that would store one more version.", rule.PathOf(u), describeFile(there))}
}

// firstAttempt returns the time of the first attempt, with the precision of records (service.md
// §2.1).
func firstAttempt(j *job.Job) time.Time {
	return cmp.Or(j.Started, j.Created).Truncate(time.Millisecond)
}

// checkSuffixed looks for a file with the name and size of a job and a suffix added by the service,
// created since the first attempt. Only if it is the single one can it be the job's.
func (q *Queue) checkSuffixed(ctx context.Context, j *job.Job, files []api.File) checkResult {
	name := norm.NFC.String(rule.StoredName(j.Upload.FileName))
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext) + "_"
	var like []*api.File
	for i := range files {
		f := &files[i]
		got := norm.NFC.String(f.Name)
		size := f.Size.Or(0)
		if strings.HasPrefix(got, stem) && strings.HasSuffix(got, ext) && size > 0 &&
			size == j.Identity.Size && !rule.Created(f).Before(firstAttempt(j)) {
			like = append(like, f)
		}
	}
	if len(like) == 1 && sameTags(j, like[0]) && q.compareContent(ctx, j, like[0]) == sameContent &&
		!q.hasCompetingJob(ctx, j, like[0]) {
		return checkResult{presence: isThere, file: like[0]}
	}
	help := "The library shows no new file of this name and size. It may still arrive: check once more before you send it again, which could store it twice."
	if len(like) > 0 {
		describe := func(f *api.File) string { return fmt.Sprintf("%s (%s)", f.FilePath, describeFile(f)) }
		help = "The library has " + strings.Join(rule.Mapped(like, describe), ", ") + ", of the same size and name except for the suffix: probably this file. Another upload would store it twice."
	}
	return checkResult{presence: isMissing, help: help}
}

func describeFile(f *api.File) string {
	var facts []string
	if size, ok := f.Size.Get(); ok {
		facts = append(facts, fmt.Sprintf("%d bytes", size))
	}
	if at := rule.Updated(f); !at.IsZero() {
		facts = append(facts, "last written "+at.Local().Format("2006-01-02 15:04:05"))
	} else if at := rule.Created(f); !at.IsZero() {
		facts = append(facts, "written "+at.Local().Format("2006-01-02 15:04:05"))
	}
	return cmp.Or(strings.Join(facts, ", "), "of unknown size")
}

// maxCompare is the largest file, in bytes, that is fetched for comparison.
const maxCompare = 64 << 20

type comparison uint8

const (
	notCompared comparison = iota
	otherContent
	sameSize // the contents cannot be compared
	sameContent
)

func (q *Queue) compareContent(ctx context.Context, j *job.Job, f *api.File) comparison {
	size, known := f.Size.Get()
	switch {
	case !known || j.Identity.Size <= 0:
		return notCompared
	case size != j.Identity.Size:
		return otherContent
	case size > maxCompare:
		return sameSize
	}
	sent := j.Hash
	if sent == "" && j.Upload.Source.Path != "" && sameSource(j) == nil {
		// Its sender was killed before the hash was known.
		sent, _, _ = api.HashSource(j.Upload.Source.Path) // "" if unknown
	}
	if sent == "" || f.URL == "" {
		return sameSize
	}
	body, _, err := q.o.Sender.Fetch(ctx, api.OriginalURL(f.URL), 0, size+1)
	if err != nil {
		return sameSize
	}
	defer body.Close()
	switch sum, n, err := api.HashContent(body); {
	case err != nil || n != size:
		return sameSize
	case sum == sent:
		return sameContent
	}
	return otherContent
}

// hasCompetingJob reports whether another job can have sent a file. If in doubt it returns true.
func (q *Queue) hasCompetingJob(ctx context.Context, j *job.Job, f *api.File) bool {
	competing, err := q.o.Journal.HasCompetingJob(ctx, *j, f.FileID)
	return err != nil || competing
}

func sameTags(j *job.Job, file *api.File) bool {
	want, ok := j.Upload.Tags.Get()
	return !ok || file.Tags.IsZero() || slices.Equal(want, file.Tags.Or(nil))
}

const (
	firstCheckDelay = 10 * time.Second
	maxCheckDelay   = 5 * time.Minute
)

// searchLater schedules a check for a job that the service is processing. The caller holds the
// lock.
func (q *Queue) searchLater(e *entry) {
	delay := min(firstCheckDelay<<min(e.checks, 5), maxCheckDelay)
	e.checks++
	e.timer = time.AfterFunc(delay, func() { q.search(e) })
}

func (q *Queue) search(e *entry) {
	q.mu.Lock()
	if q.closed || q.entries[e.job.ID] != e || e.job.State != job.Processing {
		q.mu.Unlock()
		return
	}
	q.work.Add(1)
	j := *e.job
	q.mu.Unlock()
	defer q.work.Done()
	found := q.check(q.context(), &j)
	var failed error
	if found.presence == isThere {
		j = stored(j, found).job
		j.Updated = time.Now()
		failed = q.journalOutcome(q.context(), j)
	}
	if j.State == job.Stored && failed == nil && q.o.Ended != nil {
		q.o.Ended(context.WithoutCancel(q.context()), j)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.entries[j.ID] != e || found.presence == cannotCheck:
	case failed != nil:
		q.journalErr = failed
	case j.State == job.Stored:
		e.job = &j
		q.noteBatch(j.Batch)
		q.signal()
	default:
		q.searchLater(e)
	}
}

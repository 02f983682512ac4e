package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
)

// TransferOptions configures a transfer.
type TransferOptions struct {
	// Folder receives the files and the contents of folders. If empty, each file keeps its folder.
	Folder string
	Filter Filter // for files in folders
}

// Transfer is the plan for sending files to another profile.
type Transfer struct {
	From, To string    // profiles
	Jobs     []job.Job // to send
	Bytes    int64     // of the jobs of known size
	// Unfinished holds open jobs of earlier transfers of these files.
	Unfinished []int64
	Skipped    []SkippedFile
}

// SkippedFile is a file that a transfer does not send, and why.
type SkippedFile struct {
	Path   string
	Reason error
	There  bool // no failure: a file of that name and size exists
}

// LostOf describes what is not transferred with jobs, such as "AI tags of 3 files", or "" if all is.
func LostOf(jobs []job.Job) string {
	files := map[string]int{}
	for i := range jobs {
		for _, what := range jobs[i].Lost {
			files[what]++
		}
	}
	count := func(what string) string { return what + " of " + rule.Plural(files[what], "file") }
	return strings.Join(rule.Mapped(slices.Sorted(maps.Keys(files)), count), ", ")
}

type planner struct {
	to     *Session
	o      TransferOptions
	t      Transfer
	batch  string
	fields []api.MetadataField // custom metadata fields of to
	known  bool                // the service lists its fields
	open   map[api.Origin]int64
	taken  map[string]api.Origin // sources by path in to
}

// PlanTransfer plans sending files and folders of one profile to another. It sends nothing. Files
// keep their names and never overwrite existing ones.
func (s *Session) PlanTransfer(ctx context.Context, fromProfile, toProfile string, items []api.File,
	o TransferOptions,
) (*Transfer, error) {
	if IsUnnamed(fromProfile) || IsUnnamed(toProfile) {
		return nil, errors.New("a transfer needs two profiles: first add the URLs as a profile (mediadesk profile add)")
	}
	if fromProfile == toProfile {
		return nil, fmt.Errorf("the files are already in the profile %s: choose another one", toProfile)
	}
	from, err := s.Other(ctx, fromProfile)
	if err != nil {
		return nil, err
	}
	to, err := s.Other(ctx, toProfile)
	if err != nil {
		return nil, err
	}
	if _, err := rule.CleanFolder(o.Folder); err != nil {
		return nil, err
	}
	p := planner{
		to: to, o: o, t: Transfer{From: from.Profile.Name, To: to.Profile.Name}, batch: NewBatch(time.Now()),
		open: map[api.Origin]int64{}, taken: map[string]api.Origin{},
	}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	for _, item := range items {
		files, base := []api.File{item}, path.Dir(item.FilePath)
		if item.IsFolder() {
			base, _ = rule.CleanFolder(item.FolderPath)
			if files, err = from.FilesBelow(ctx, base, o.Filter); err != nil {
				return nil, err
			}
		}
		for i := range files {
			p.add(&files[i], base)
		}
	}
	return &p.t, p.skipTaken(ctx)
}

func (p *planner) prepare(ctx context.Context) error {
	fields, err := p.to.MetadataFields(ctx, "")
	if err != nil && !api.Unavailable(err) {
		return fmt.Errorf("the profile %s: %w", p.t.To, err)
	}
	p.fields, p.known = fields, err == nil
	jobs, err := p.to.Jobs(ctx, journal.JobFilter{Open: true})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		j.Upload.Source.Origin.Path = "" // it may have moved since
		p.open[j.Upload.Source.Origin] = j.ID
	}
	return nil
}

// add plans one file. base is the folder that becomes Options.Folder.
func (p *planner) add(f *api.File, base string) {
	skip := func(err error) { p.t.Skipped = append(p.t.Skipped, SkippedFile{Path: f.FilePath, Reason: err}) }
	if f.FileID == "" || f.FilePath == "" || f.URL == "" {
		skip(errors.New("the record has no id, path or URL"))
		return
	}
	origin := api.Origin{Profile: p.t.From, FileID: f.FileID, Version: f.VersionID()}
	if id := p.open[origin]; id != 0 {
		p.t.Unfinished = append(p.t.Unfinished, id)
		return
	}
	origin.Path = f.FilePath
	j := p.job(f, origin, base)
	place := rule.PathOf(&j.Upload)
	other, twice := p.taken[place]
	err := errors.Join(append(entry.CheckUpload(&j.Upload),
		rule.CheckSize(j.Identity.Size, p.to.Profile.MaxSize))...)
	switch {
	case err != nil:
		skip(err)
	case twice && other != origin:
		skip(fmt.Errorf("%s has the same destination %s", other.Path, place))
	case !twice:
		p.taken[place] = origin
		p.t.Jobs = append(p.t.Jobs, j)
	}
}

func (p *planner) skipTaken(ctx context.Context) error {
	uploads := rule.Mapped(p.t.Jobs, func(j job.Job) api.Upload { return j.Upload })
	places, err := p.to.Places(ctx, uploads)
	if err != nil {
		return fmt.Errorf("the profile %s: %w", p.t.To, err)
	}
	jobs := p.t.Jobs
	p.t.Jobs = nil
	for i := range jobs {
		size, there := jobs[i].Identity.Size, places[i].File
		if there == nil || !places[i].At.IsZero() { // what the journal knows may be gone
			p.t.Jobs = append(p.t.Jobs, jobs[i])
			p.t.Bytes += size
			continue
		}
		skipped := SkippedFile{Path: uploads[i].Source.Origin.Path}
		reason := "%s already has %s with another size: rename one of them, or choose another folder"
		if skipped.There = size > 0 && there.Size.Or(-1) == size; skipped.There {
			reason = "%s already has %s with the same size"
		}
		skipped.Reason = fmt.Errorf(reason, p.t.To, there.FilePath)
		p.t.Skipped = append(p.t.Skipped, skipped)
	}
	return nil
}

func (p *planner) job(f *api.File, origin api.Origin, base string) job.Job {
	folder, name := path.Split(f.FilePath)
	if p.o.Folder != "" {
		folder = path.Join(p.o.Folder, strings.TrimPrefix(folder, base)) + "/"
	}
	u := api.Upload{
		Source: api.Source{Origin: origin}, FileName: name, Folder: api.Set(folder),
		IsPrivateFile: f.IsPrivateFile, OverwriteFile: api.Set(false), Other: f.Other,
	}
	job.ApplyNaming(&u, job.NameExact)
	if tags := f.Tags.Or(nil); len(tags) > 0 {
		u.Tags = api.Set(tags)
	}
	if region, ok := f.CustomCoordinates.Get(); ok && region != "" {
		u.CustomCoordinates = api.Set(region)
	}
	values, lost := p.metadata(f.CustomMetadata)
	if len(values) > 0 {
		u.CustomMetadata = api.Set(values)
	}
	return job.Job{
		Profile: p.t.To, Upload: u, Naming: job.NameExact, State: job.Waiting, Batch: p.batch,
		Identity: api.Identity{Size: f.Size.Or(0)}, Lost: append(lostOf(f), lost...),
	}
}

func lostOf(f *api.File) []string {
	var list []string
	if v := f.VersionID(); v != "" && v != f.FileID {
		list = append(list, "earlier versions")
	}
	if len(f.AITags.Or(nil)) > 0 {
		list = append(list, "AI tags")
	}
	if len(f.ExtensionStatus) > 0 {
		list = append(list, "state of extensions")
	}
	if !f.IsPublished.Or(true) {
		list = append(list, "unpublished state")
	}
	return list
}

// metadata splits custom metadata into values that fit the other service's fields and a description
// of the rest. If a service does not list its fields, all of it is sent.
func (p *planner) metadata(all map[string]json.RawMessage) (fit map[string]json.RawMessage, lost []string) {
	fit = map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if p.known && rule.CheckMetadata(p.fields, map[string]json.RawMessage{key: all[key]}) != nil {
			lost = append(lost, "custom metadata field "+key)
		} else {
			fit[key] = all[key]
		}
	}
	return fit, lost
}

// Move makes the transfer delete each file from the profile From once the profile To has it.
func (t *Transfer) Move() {
	for i := range t.Jobs {
		t.Jobs[i].Move = job.MoveAfter
	}
}

// deleteOrigin deletes the source of a stored job, with all versions, if the stored file was read back
// and has the size that was sent, and the source has not changed.
func (s *Session) deleteOrigin(ctx context.Context, j *job.Job) error {
	origin, at := j.Upload.Source.Origin, rule.PathOf(&j.Upload)
	place, err := s.Locate(ctx, at)
	switch stored := place.File; {
	case err == nil && (stored == nil || !place.At.IsZero()): // else it is from the journal
		err = errors.New("no file is there")
		fallthrough
	case err != nil:
		return fmt.Errorf("the record of %s could not be read back from %s: %w", at, j.Profile, err)
	case stored.FileID == origin.FileID:
		return fmt.Errorf("%s and %s show the same file", origin.Profile, j.Profile)
	case stored.Size.Or(-1) != j.Identity.Size:
		return fmt.Errorf("%s has %d bytes in %s, and %d were to be sent", at, stored.Size.Or(-1), j.Profile, j.Identity.Size)
	}
	from, err := s.Other(ctx, origin.Profile)
	if err != nil {
		return err
	}
	switch source, err := from.originFile(ctx, origin); {
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", j.Upload.Source, err)
	case source == nil: // an earlier attempt deleted it, and the answer was lost
		return s.Journal.ForgetFile(ctx, origin.Profile, origin.FileID)
	case source.VersionID() != origin.Version, source.Size.Or(-1) != j.Identity.Size:
		return errors.New("its version or size is not what was sent")
	default:
		if err := from.Delete(ctx, *source); err != nil {
			return fmt.Errorf("%s cannot be deleted: %w", j.Upload.Source, err)
		}
	}
	return nil
}

// Enqueue journals the jobs of a transfer. They are sent when the other profile is in use.
func (s *Session) Enqueue(ctx context.Context, t *Transfer) error {
	jobs, err := s.Journal.AddJobs(ctx, t.Jobs)
	if err != nil {
		return err
	}
	return s.Journal.Release(ctx, job.IDs(jobs))
}

// fetchOrigin fetches a job's file from another profile and returns its path. It continues an earlier
// download. The error is a *queue.NotReadyError if a later attempt may succeed, else an
// *api.SourceError.
func (s *Session) fetchOrigin(ctx context.Context, j job.Job) (string, error) {
	origin := j.Upload.Source.Origin
	fail := func(reason, help string) (string, error) {
		return "", &api.SourceError{Path: j.Upload.Source.String(), Reason: reason, Help: help}
	}
	from, err := s.Other(ctx, origin.Profile)
	if err != nil {
		return fail("cannot be read: "+err.Error(), api.Hint(err))
	}
	file, err := from.originFile(ctx, origin)
	if err == nil && file == nil {
		return fail("no longer exists", "If it was restored, transfer it again.")
	}
	if err == nil {
		version := cmp.Or(file.VersionID(), origin.Version)
		if size, ok := file.Size.Get(); version != cmp.Or(origin.Version, version) || ok &&
			j.Identity.Size > 0 && size != j.Identity.Size {
			return fail("changed since it was queued", "Transfer it again to send it as it is now.")
		}
		var path string
		spool := originSpool(s.options.Paths.Spool(), j.ID)
		if path, err = from.fetchPart(ctx, *file, spool, nil); err == nil {
			return path, nil
		}
	}
	if later := notReady(j.Upload.Source, err); later != nil {
		return "", later
	}
	return fail("cannot be read: "+err.Error(), api.Hint(err))
}

// notReady returns a *queue.NotReadyError if a later attempt may succeed after err, else nil.
func notReady(source api.Source, err error) error {
	later := &queue.NotReadyError{Err: fmt.Errorf("%s cannot be read: %w", source, err)}
	answer, answered := errors.AsType[*api.ServiceError](err)
	_, unanswered := errors.AsType[*api.SendError](err)
	switch {
	case answered && (answer.Status == http.StatusTooManyRequests || answer.Status >= 500 && !api.Unavailable(err)):
		later.Delay = answer.RetryDelay
		return later
	case unanswered, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return later
	}
	return nil
}

// originFile returns the current record of a job's file in another profile, or nil if it does not
// exist. For a service that shows no files it is the record as last seen.
func (s *Session) originFile(ctx context.Context, origin api.Origin) (*api.File, error) {
	file, err := s.Client.Details(ctx, origin.FileID)
	if !api.Unavailable(err) {
		return file, err
	}
	if _, err := s.Client.List(ctx, api.Query{Limit: 1}); !api.Unavailable(err) {
		return nil, err
	}
	seen, ok, err := s.LastSeen(ctx, origin.FileID)
	if !ok {
		return nil, err
	}
	return &seen.File, err
}

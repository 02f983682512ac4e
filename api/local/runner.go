package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"slices"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/extension"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
)

const (
	runTime = 3 * time.Minute // limit for one run
	// maxAttempts limits how often a run is started, in case it crashes the program.
	maxAttempts = 2
)

// runner executes extension runs with two workers: one for quick extensions, which requests wait
// for, and one for slow ones. The runs are in the records; workers only have their order.
type runner struct {
	library     *Library
	quick, slow *worker
	stops       sync.Map // run id to context.CancelFunc
}

// worker executes one run after the other.
type worker struct {
	mu    sync.Mutex
	queue []queued // the first one is under way
}

type queued struct {
	run  int64
	done chan struct{} // closed when the run has ended
}

// add queues a run. One that is queued twice ends with the first.
func (r *runner) add(w *worker, run int64) (done <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := queued{run, make(chan struct{})}
	if w.queue = append(w.queue, q); len(w.queue) == 1 {
		r.library.workers.Go(func() { r.work(w, q) })
	}
	return q.done
}

// work executes the runs of a worker until there are no more.
func (r *runner) work(w *worker, q queued) {
	for more := true; more && r.library.ctx.Err() == nil; {
		err := r.library.execute(q.run)
		if err != nil && !errors.Is(err, store.ErrNotFound) && r.library.ctx.Err() == nil { // not found after a reset
			r.library.log.Error("extension run could not be recorded", "run", q.run, "error", err)
		}
		wake(r.library.outbox.notice) // after the commit, so that the outbox sees the post
		close(q.done)
		w.mu.Lock()
		if w.queue = w.queue[1:]; len(w.queue) > 0 {
			q = w.queue[0]
		} else {
			more = false
		}
		w.mu.Unlock()
	}
}

// start queues runs and returns a channel for each quick one that is closed at its end.
func (r *runner) start(runs []store.Run) (ends []<-chan struct{}) {
	f := r.library.o.Fault
	for _, run := range runs {
		switch {
		case run.Status.Final() || f.ExtensionsPending && r.library.chance.hits(f.ExtensionsChance, "pending", run.ID):
		case r.library.tools.Quick(run.Extension.Name):
			ends = append(ends, r.add(r.quick, run.ID))
		default:
			r.add(r.slow, run.ID)
		}
	}
	return ends
}

// wake notifies a worker without blocking.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// addRuns records the requested extensions. Runs that cannot work fail at once (service.md §3:
// failed within the request).
func (l *Library) addRuns(tx store.Tx, file *store.File, list []api.Extension, webhook string) ([]store.Run, error) {
	var runs []store.Run
	for _, e := range list {
		run := store.Run{
			FileID: file.ID, VersionID: file.Version.ID, Extension: e, Status: api.StatusPending, Webhook: webhook,
			Awaited: !l.tools.Quick(e.Name), Created: l.now(), Owner: l.identity,
		}
		reason := ""
		switch {
		case !l.tools.Knows(e.Name):
			reason = "no extension " + quote(e.Name) + " in the local library"
		case file.Version.Kind != api.KindImage:
			reason = "extensions work on images, and this file is not an image"
		}
		if reason != "" {
			run.Status, run.Error, run.Finished = api.StatusFailed, reason, run.Created
			l.log.Warn("extension failed", "file", file.ID, "extension", e.Name, "reason", reason)
		}
		if err := tx.Add(&run); err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// runReport is the part of an answer about the requested runs, by extension name. Both maps are nil
// without runs.
type runReport struct {
	status map[string]api.Status
	errors map[string]string // of failed runs
}

// startRuns starts runs, waits briefly for the quick ones, and returns the file and the status of
// each run. The results of pending runs are posted later.
func (l *Library) startRuns(ctx context.Context, file *store.File, runs []store.Run) (*store.File, runReport, error) {
	if len(runs) == 0 {
		return file, runReport{}, nil
	}
	isQuick := func(run store.Run) bool { return l.tools.Quick(run.Extension.Name) }
	slow := slices.DeleteFunc(slices.Clone(runs), isQuick)
	quick := slices.DeleteFunc(slices.Clone(runs), func(run store.Run) bool { return !isQuick(run) })
	// Slow runs start after the answer is made: it shows "pending" and the old version, so that a
	// client can see the change.
	defer l.runs.start(slow)
	wait, stop := context.WithTimeout(ctx, l.tagWait)
	defer stop()
	for _, end := range l.runs.start(quick) {
		select {
		case <-end:
		case <-wait.Done():
		case <-l.ctx.Done():
		}
	}
	var report runReport
	file, err := store.Update(ctx, l.records, func(tx store.Tx) (*store.File, error) {
		report = runReport{map[string]api.Status{}, map[string]string{}}
		for _, started := range runs {
			run, err := store.Get[store.Run](tx, started.ID)
			if err != nil {
				return nil, err
			}
			if report.status[run.Extension.Name] = run.Status; run.Error != "" {
				report.errors[run.Extension.Name] = run.Error
			}
			if !run.Status.Final() && !run.Awaited {
				run.Awaited = true
				if err := tx.Save(run); err != nil {
					return nil, err
				}
			}
		}
		return store.Get[store.File](tx, runs[0].FileID)
	})
	return file, report, deletedMeanwhile(err)
}

// deletedMeanwhile answers a request whose file another request has deleted.
func deletedMeanwhile(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return refuse(http.StatusNotFound, "The file was deleted by another request before this one was answered.", "Upload it again if you need it.")
	}
	return err
}

// execute does one run and records its end. It returns an error if that fails or the library is
// closing.
func (l *Library) execute(id int64) error {
	ctx, cancel := context.WithTimeout(l.ctx, runTime)
	defer cancel()
	// Before the run is read, so that a later cancel takes effect.
	l.runs.stops.Store(id, cancel)
	defer l.runs.stops.Delete(id)
	run, source, err := l.runAndSource(id)
	if err != nil || run.Status.Final() || run.Owner != l.identity {
		return err
	}
	var out extension.Output
	unable := errProgramDied
	if run.Attempts < maxAttempts {
		if err := l.countAttempt(id, 1); err != nil {
			return err
		}
		unable = whileDown(ctx, func() (err error) {
			out, err = l.runTool(ctx, run, source)
			return err
		})
	}
	if l.ctx.Err() != nil {
		return errors.Join(l.ctx.Err(), l.countAttempt(id, -1)) // an orderly end does not count
	}
	var version store.Version
	var draft store.Draft
	if unable == nil && out.Picture != nil {
		if draft, version, unable = l.keepPicture(out.Picture); draft != nil {
			defer draft.Discard()
		}
	}
	ended := false
	finish := func(tx store.Tx) (_ *store.Run, err error) {
		run, ended, err = l.finish(tx, id, source, out, version, unable)
		return run, err
	}
	// The time limit applies to the tool, not to recording its result.
	if unable == nil && out.Picture != nil {
		err = whileDown(l.ctx, func() error {
			_, err := record(l.ctx, l, draft, &version, finish)
			return err
		})
		if _, ok := errors.AsType[*keepError](err); ok && l.ctx.Err() == nil {
			unable = err
		}
	}
	if unable != nil || out.Picture == nil {
		_, err = store.Update(l.ctx, l.records, finish)
	}
	if ended && err == nil {
		l.metrics.count(runsEndedMetric, `status="`+string(run.Status)+`"`)
	}
	return err
}

// finish records the end of a run unless it was canceled or taken over by another instance. unable is
// why the tool has no result.
func (l *Library) finish(tx store.Tx, id int64, source *store.Version, out extension.Output, version store.Version, unable error) (run *store.Run, ended bool, err error) {
	if run, err = store.Get[store.Run](tx, id); err != nil || run.Status.Final() || run.Owner != l.identity {
		return run, false, err
	}
	file, err := store.Get[store.File](tx, run.FileID)
	if errors.Is(err, store.ErrNotFound) {
		file, unable = nil, errFileGone
	} else if err != nil {
		return run, false, err
	}
	if unable == nil {
		if unable, err = l.applyOutput(tx, run, file, source, out, version); err != nil {
			return run, false, err
		}
	}
	reason := ""
	if unable != nil {
		reason = unable.Error()
		l.log.Warn("extension failed", "file", run.FileID, "extension", run.Extension.Name, "reason", reason)
	}
	err = finishRun(tx, run, reason, func() *api.File { return l.fullRecord(file) }, l.now())
	if err == nil && run.Extension.Name == store.PostTransformation {
		err = l.addPostEvent(tx, run, file, reason)
	}
	return run, true, err
}

// downPause is the wait before records or contents are tried again.
const downPause = 2 * time.Second

// whileDown repeats do until the library answers or ctx ends.
func whileDown(ctx context.Context, do func() error) error {
	for {
		err := do()
		var down *store.DownError
		if !errors.As(err, &down) {
			return err
		}
		select {
		case <-time.After(downPause):
		case <-ctx.Done():
			return err
		}
	}
}

// finishRun records the end of a run, failed if reason is not empty. It queues a webhook post if a
// client waits for one; record is called for successful runs only.
func finishRun(tx store.Tx, run *store.Run, reason string, record func() *api.File, now time.Time) error {
	run.Status, run.Error, run.Attempts, run.Finished = api.StatusSuccess, reason, 0, now
	if reason != "" {
		run.Status = api.StatusFailed
	}
	if err := tx.Save(run); err != nil || !run.Awaited || run.Webhook == "" {
		return err
	}
	body := map[string]any{"service": run.Extension.Name}
	if reason != "" {
		body["status"], body["fileId"], body["error"] = "FAILURE", run.FileID, map[string]string{"message": reason}
	} else {
		body["status"], body["fileObject"] = "SUCCESS", record()
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return tx.Add(&store.Post{Address: run.Webhook, Body: text, Next: now, Created: now, Owner: run.Owner})
}

// cancelRun cancels the pending runs of an extension on a file.
func (l *Library) cancelRun(r *http.Request) (any, error) {
	var fileID, extension string
	if _, err := readBody(r, 2, member{"fileId", &fileID}, member{"extension", &extension}); err != nil {
		return nil, err
	}
	canceled, err := store.Update(r.Context(), l.records, func(tx store.Tx) (canceled []int64, err error) {
		runs, err := store.All[store.Run](tx, store.Filter{"file_id": fileID})
		if err != nil {
			return nil, err
		}
		runs = slices.DeleteFunc(runs, func(run store.Run) bool { return run.Extension.Name != extension })
		if len(runs) == 0 {
			return nil, refuse(http.StatusNotFound, "The extension "+quote(extension)+" was never run on this file.", "Check the file id and the name of the extension.")
		}
		for i := range runs {
			if runs[i].Status.Final() {
				continue
			}
			canceled = append(canceled, runs[i].ID)
			runs[i].Owner = l.identity
			if err := finishRun(tx, &runs[i], api.RunCanceled, nil, l.now()); err != nil {
				return nil, err
			}
		}
		if len(canceled) == 0 {
			return nil, refuse(http.StatusConflict, "The extension "+quote(extension)+" has ended on this file: "+string(runs[len(runs)-1].Status)+".", "Only a pending run can be canceled.")
		}
		return canceled, nil
	})
	for _, id := range canceled {
		l.log.Warn("extension failed", "file", fileID, "extension", extension, "reason", api.RunCanceled)
		if stop, ok := l.runs.stops.Load(id); ok {
			stop.(context.CancelFunc)()
		}
	}
	wake(l.outbox.notice)
	return nil, err
}

// countAttempt counts the start of a run, or with -1 takes it back because the program ends.
func (l *Library) countAttempt(id int64, n int) error {
	return l.records.Update(context.WithoutCancel(l.ctx), func(tx store.Tx) error {
		run, err := store.Get[store.Run](tx, id)
		if err != nil {
			return err
		}
		run.Attempts += n
		return tx.Save(run)
	})
}

// runAndSource reads a run and the version to work on. Tagging uses the version that was current at
// the request, with its camera data. Other extensions use its latest descendant, so they build on
// each other. source is nil if that version was deleted or replaced by an upload.
func (l *Library) runAndSource(id int64) (run *store.Run, source *store.Version, err error) {
	source, err = store.View(l.ctx, l.records, func(tx store.Tx) (*store.Version, error) {
		if run, err = store.Get[store.Run](tx, id); err != nil {
			return nil, err
		}
		asked, err := store.Get[store.Version](tx, run.VersionID)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		file, err := store.Get[store.File](tx, run.FileID)
		switch {
		case err != nil, file.Version.Root != asked.Root:
			return nil, err
		case l.tools.Quick(run.Extension.Name):
			return asked, nil
		}
		return &file.Version, nil
	})
	return run, source, err
}

var (
	errNewerVersion = errors.New("another version of the file was stored or restored meanwhile")
	errFileGone     = errors.New("the file no longer exists")
	errProgramDied  = errors.New("the program ended twice during this run")
)

// runTool runs the extension's tool on the content.
func (l *Library) runTool(ctx context.Context, run *store.Run, source *store.Version) (out extension.Output, err error) {
	if f := l.o.Fault; f.ExtensionsFail && l.chance.hits(f.ExtensionsChance, "fail", run.ID) {
		return out, errors.New("failed by an injected fault (serve --fault)")
	}
	if source == nil {
		return out, errNewerVersion
	}
	if run.Extension.Name == store.PostTransformation {
		return out, l.makePost(ctx, run, source)
	}
	content, err := l.readContent(source.Hash)
	if err != nil {
		return out, fmt.Errorf("the content cannot be read: %w", err)
	}
	defer content.Close()
	reads := &noted{ReaderAt: content}
	in := extension.Input{Element: run.Extension, Content: reads, Size: source.Size, Mime: source.Mime}
	out, err = l.tools.Run(ctx, in)
	return out, reads.or(err)
}

// keepPicture makes a version of a tool's picture. Commit the returned draft with the record, then
// discard it; it may be nil.
func (l *Library) keepPicture(picture []byte) (store.Draft, store.Version, error) {
	draft, err := l.contents.Draft()
	if err != nil {
		return nil, store.Version{}, err
	}
	if _, err := draft.Write(picture); err != nil {
		return draft, store.Version{}, err
	}
	v, err := l.inspectContent(draft)
	if err != nil {
		return draft, v, err
	}
	if v.Kind != api.KindImage {
		return draft, v, errors.New("the result is not an image")
	}
	return draft, v, nil
}

// applyOutput writes the result of a tool into the record. failure is the reason for a failed run;
// err is an error of the records.
func (l *Library) applyOutput(tx store.Tx, run *store.Run, file *store.File, source *store.Version, out extension.Output, version store.Version) (failure, err error) {
	if file.Version.Root != source.Root || out.Picture != nil && file.Version.ID != source.ID {
		return errNewerVersion, nil
	}
	if run.Extension.Name == store.PostTransformation {
		return nil, nil // it changes nothing of the file
	}
	if run.Extension.Name == api.AITasks && l.tools.Own(api.AITasks) {
		return l.answerTasks(tx, run, file, out.Tags)
	}
	if out.Picture == nil {
		// Replaces earlier tags of this source.
		kept := slices.DeleteFunc(slices.Clone(file.AITags), func(t api.AITag) bool { return t.Source == run.Extension.Name })
		file.AITags = append(kept, out.Tags...)
		file.Updated = l.now()
		return nil, tx.Files.Update(file)
	}
	count, last, err := tx.Versions.Count(file.ID)
	if err != nil {
		return nil, err
	}
	if count >= api.MaxVersions {
		return fmt.Errorf("the file has %d versions already, which is the limit", api.MaxVersions), nil
	}
	file.Region = carryRegion(file, version, out.Orientation)
	version.ID, version.Root, version.Number = store.NewID(), source.Root, last+1
	version.Unpublished = file.Version.Unpublished
	file.Version, file.Updated = version, version.Created
	return nil, tx.Files.Update(file)
}

// carryRegion adapts the region to the result, which is upright even if the source was rotated by
// its metadata. A picture of another size has no region.
func carryRegion(file *store.File, next store.Version, orientation media.Orientation) string {
	region, err := api.ParseRegion(file.Region)
	if err != nil {
		return ""
	}
	before := image.Pt(file.Version.Width, file.Version.Height)
	if orientation.Upright(before) != image.Pt(next.Width, next.Height) {
		return ""
	}
	return api.RegionOf(media.ToDisplay(orientation, before, region.Rectangle())).String()
}

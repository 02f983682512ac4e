package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"mediadesk/api"
	"mediadesk/api/local/extension"
	"mediadesk/api/local/run"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// addRuns records the requested extensions. Those that cannot work fail at once (service.md §3).
func (l *Library) addRuns(tx store.Tx, file *store.File, list []api.Extension,
	webhook string,
) ([]store.Run, error) {
	var runs []store.Run
	for _, e := range list {
		run := store.Run{
			FileID: file.ID, VersionID: file.Version.ID, Extension: e, Status: api.StatusPending,
			Webhook: webhook, Awaited: !l.tools.Quick(e.Name), Created: l.now(), Owner: l.identity,
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

// runReport is what an answer says about runs, by extension name. Both maps are nil without runs.
type runReport struct {
	status map[string]api.Status
	errors map[string]string // of failed runs
}

// startRuns starts runs, waits briefly for the quick ones, and returns the file and the status of
// each run. The results of pending runs are posted later.
func (l *Library) startRuns(ctx context.Context, file *store.File,
	runs []store.Run,
) (*store.File, runReport, error) {
	if len(runs) == 0 {
		return file, runReport{}, nil
	}
	slow := slices.DeleteFunc(slices.Clone(runs), func(run store.Run) bool { return l.isQuick(&run) })
	quick := slices.DeleteFunc(slices.Clone(runs), func(run store.Run) bool { return !l.isQuick(&run) })
	// Slow runs start after the answer is made: it shows "pending" and the old version, so that a
	// client can see the change.
	defer l.work.Begin(slow)
	wait, stop := context.WithTimeout(ctx, l.tagTimeout)
	defer stop()
	for _, end := range l.work.Begin(quick) {
		select {
		case <-end:
		case <-wait.Done():
		case <-l.work.Context().Done():
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
	return file, report, err
}

func (l *Library) isQuick(run *store.Run) bool { return l.tools.Quick(run.Extension.Name) }

// execute does one run and records its end. It fails if that fails or the library is closing.
func (l *Library) execute(ctx context.Context, id int64) error {
	pending, source, err := l.runAndSource(id)
	if err != nil || pending.Status.Final() || pending.Owner != l.identity {
		return err
	}
	var out extension.Output
	unable := errors.New("the program ended twice during this run")
	if pending.Attempts < run.MaxAttempts {
		if err := l.countAttempt(id, 1); err != nil {
			return err
		}
		unable = run.WhileDown(ctx, func() (err error) {
			out, err = l.runTool(ctx, pending, source)
			return err
		})
	}
	if l.work.Context().Err() != nil {
		return errors.Join(l.work.Context().Err(), l.countAttempt(id, -1)) // an orderly end does not count
	}
	var version store.Version
	var draft *store.Draft
	if unable == nil && out.Picture != nil {
		if draft, version, unable = l.keepPicture(out.Picture); draft != nil {
			defer draft.Discard()
		}
	}
	finish := func(tx store.Tx) error { return l.finish(tx, id, source, out, version, unable) }
	// The time limit applies to the tool, not to recording its result.
	if unable == nil && out.Picture != nil {
		err = run.WhileDown(l.work.Context(), func() error {
			return l.commit(l.work.Context(), draft, &version, finish)
		})
		if err != nil && l.work.Context().Err() == nil {
			unable = fmt.Errorf("store the result: %w", err)
		}
	}
	if unable != nil || out.Picture == nil {
		err = l.records.Update(l.work.Context(), finish)
	}
	return err
}

// finish records the end of a run unless it was canceled or taken over by another instance, and
// queues a webhook post if a client waits for one. unable is why the tool has no result.
func (l *Library) finish(tx store.Tx, id int64, source *store.Version, out extension.Output,
	version store.Version, unable error,
) error {
	run, err := store.Get[store.Run](tx, id)
	if err != nil || run.Status.Final() || run.Owner != l.identity {
		return err
	}
	file, err := store.Get[store.File](tx, run.FileID)
	if errors.Is(err, store.ErrNotFound) {
		file, unable = nil, errors.New("the file no longer exists")
	} else if err != nil {
		return err
	}
	if unable == nil {
		if unable, err = l.applyOutput(tx, run, file, source, out, version); err != nil {
			return err
		}
	}
	now := l.now()
	run.Status, run.Error, run.Attempts, run.Finished = api.StatusSuccess, "", 0, now
	if unable != nil {
		run.Status, run.Error = api.StatusFailed, unable.Error()
		l.log.Warn("extension failed",
			"file", run.FileID, "extension", run.Extension.Name, "reason", run.Error)
	}
	if err := tx.Save(run); err != nil || !run.Awaited || run.Webhook == "" {
		return err
	}
	body := map[string]any{"service": run.Extension.Name}
	if unable != nil {
		body["status"], body["fileId"] = "FAILURE", run.FileID
		body["error"] = map[string]string{"message": run.Error}
	} else {
		body["status"], body["fileObject"] = "SUCCESS", l.fullRecord(file)
	}
	post := &store.Post{Address: run.Webhook, Body: encode(body), Next: now, Created: now, Owner: run.Owner}
	return tx.Add(post)
}

// countAttempt counts the start of a run, or with -1 takes it back because the program ends.
func (l *Library) countAttempt(id int64, n int) error {
	return l.records.Update(context.WithoutCancel(l.work.Context()), func(tx store.Tx) error {
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
	source, err = store.View(l.work.Context(), l.records, func(tx store.Tx) (*store.Version, error) {
		if run, err = store.Get[store.Run](tx, id); err != nil {
			return nil, err
		}
		source, err := store.Get[store.Version](tx, run.VersionID)
		if err != nil {
			return nil, store.Replaced(err, store.ErrNotFound, nil)
		}
		file, err := store.Get[store.File](tx, run.FileID)
		switch {
		case err != nil, file.Version.Root != source.Root:
			return nil, err
		case l.tools.Quick(run.Extension.Name):
			return source, nil
		}
		return &file.Version, nil
	})
	return run, source, err
}

var errNewerVersion = errors.New("another version of the file was stored or restored meanwhile")

func (l *Library) runTool(ctx context.Context, run *store.Run,
	source *store.Version,
) (out extension.Output, err error) {
	if l.injected("extensions=fail", run.ID) {
		return out, errors.New("failed by an injected fault (serve --fault)")
	}
	if source == nil {
		return out, errNewerVersion
	}
	content, err := l.contents.Open(source.Hash)
	if err != nil {
		return out, fmt.Errorf("the content cannot be read: %w", err)
	}
	defer content.Close()
	reads := &noted{ReaderAt: content}
	in := extension.Input{Element: run.Extension, Content: io.NewSectionReader(reads, 0, source.Size)}
	out, err = l.tools.Run(ctx, in)
	return out, reads.or(err)
}

// keepPicture makes a version of a picture. The draft may be nil; discard it in the end.
func (l *Library) keepPicture(picture []byte) (*store.Draft, store.Version, error) {
	draft, err := l.contents.Draft()
	if err != nil {
		return nil, store.Version{}, err
	}
	if _, err := draft.Write(picture); err != nil {
		return draft, store.Version{}, err
	}
	v, err := l.inspectContent(draft)
	if err == nil && v.Kind != api.KindImage {
		err = errors.New("the result is not an image")
	}
	return draft, v, err
}

// applyOutput records the result of a tool. failure is of the run, err is one of the records.
func (l *Library) applyOutput(tx store.Tx, run *store.Run, file *store.File, source *store.Version,
	out extension.Output, version store.Version,
) (failure, err error) {
	if file.Version.Root != source.Root || out.Picture != nil && file.Version.ID != source.ID {
		return errNewerVersion, nil
	}
	if run.Extension.Name == rule.AITasks && l.tools.BuiltIn(rule.AITasks) {
		return l.answerTasks(tx, run, file, out.Tags)
	}
	if out.Picture == nil {
		// Replaces earlier tags of this source.
		retained := slices.DeleteFunc(slices.Clone(file.AITags),
			func(t api.AITag) bool { return t.Source == run.Extension.Name })
		file.AITags = append(retained, out.Tags...)
		file.Updated = l.now()
		return nil, tx.Files.Update(file)
	}
	count, last, err := tx.Versions.Count(file.ID)
	if err != nil {
		return nil, err
	}
	if count >= rule.MaxVersions {
		return fmt.Errorf("the file has %d versions already, which is the limit", rule.MaxVersions), nil
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
	region, err := rule.ParseRegion(file.Region)
	if err != nil {
		return ""
	}
	before := image.Pt(file.Version.Width, file.Version.Height)
	if orientation.Upright(before) != image.Pt(next.Width, next.Height) {
		return ""
	}
	return rule.RegionOf(media.ToDisplay(orientation, before, region.Rectangle())).String()
}

// readExtensions reads the extensions of a request and checks the options of those that the library
// runs itself; others go to a command or another service. With saved, it replaces saved extensions
// by their content.
func (l *Library) readExtensions(text string, saved bool) ([]api.Extension, error) {
	list, err := rule.ParseExtensions(text)
	if err != nil {
		return nil, err
	}
	for i, e := range list {
		if e.Name == rule.SavedExtension && saved {
			if e, err = l.savedExtension(e); err != nil {
				return nil, err
			}
			list[i] = e
		}
		if e.Name == rule.AITasks {
			if _, err := readTasks(e.Rest["tasks"]); err != nil {
				return nil, badRequest("extensions: ai-tasks: "+err.Error()+".", "Correct the task.")
			}
			continue
		}
		if !l.tools.Knows(e.Name) || !l.tools.BuiltIn(e.Name) {
			continue
		}
		if err := extension.CheckElement(e); err != nil {
			return nil, badRequest("extensions: "+e.Name+": "+err.Error()+".", "Correct the option, or leave it out.")
		}
	}
	return list, rule.CheckExtensions(list)
}

func (l *Library) savedExtension(e api.Extension) (api.Extension, error) {
	var id string
	_ = json.Unmarshal(e.Rest["id"], &id)
	list, err := store.View(l.work.Context(), l.records, func(tx store.Tx) ([]store.Preset, error) {
		return store.All[store.Preset](tx, store.Filter{"kind": rule.SavedExtension, "id": id})
	})
	if err == nil && len(list) == 0 {
		err = badRequest(errNoSaved.Message, errNoSaved.Help)
	}
	var body savedExtension
	if err == nil {
		err = json.Unmarshal(list[0].Body, &body)
	}
	if err == nil {
		err = json.Unmarshal(body.Config, &e)
	}
	return e, err
}

package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/job"
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
	wait, stop := context.WithTimeout(ctx, l.tagWait)
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
	return file, report, deletedMeanwhile(err)
}

func (l *Library) isQuick(run *store.Run) bool { return l.tools.Quick(run.Extension.Name) }

// deletedMeanwhile answers a request whose file another request has deleted.
func deletedMeanwhile(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return refuse(http.StatusNotFound, "The file was deleted by another request before this one was answered.", "Upload it again if you need it.")
	}
	return err
}

// execute does one run and records its end. It fails if that fails or the library is closing.
func (l *Library) execute(ctx context.Context, id int64) error {
	pending, source, err := l.runAndSource(id)
	if err != nil || pending.Status.Final() || pending.Owner != l.identity {
		return err
	}
	var out extension.Output
	unable := errProgramDied
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
	var draft store.Draft
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
		if _, ok := errors.AsType[*keepError](err); ok && l.work.Context().Err() == nil {
			unable = err
		}
	}
	if unable != nil || out.Picture == nil {
		err = l.records.Update(l.work.Context(), finish)
	}
	return err
}

// finish records the end of a run unless it was canceled or taken over by another instance. unable
// is why the tool has no result.
func (l *Library) finish(tx store.Tx, id int64, source *store.Version, out extension.Output,
	version store.Version, unable error,
) error {
	run, err := store.Get[store.Run](tx, id)
	if err != nil || run.Status.Final() || run.Owner != l.identity {
		return err
	}
	file, err := store.Get[store.File](tx, run.FileID)
	if errors.Is(err, store.ErrNotFound) {
		file, unable = nil, errFileGone
	} else if err != nil {
		return err
	}
	if unable == nil {
		if unable, err = l.applyOutput(tx, run, file, source, out, version); err != nil {
			return err
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
	return err
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

func (l *Library) cancelRun(r *http.Request) (any, error) {
	var fileID, extension string
	if _, err := readBody(r, &fileID, &extension); err != nil {
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
			if err := finishRun(tx, &runs[i], job.RunCanceled, nil, l.now()); err != nil {
				return nil, err
			}
		}
		if len(canceled) == 0 {
			return nil, refuse(http.StatusConflict, "The extension "+quote(extension)+" has ended on this file: "+string(runs[len(runs)-1].Status)+".", "Only a pending run can be canceled.")
		}
		return canceled, nil
	})
	for range canceled {
		l.log.Warn("extension failed", "file", fileID, "extension", extension, "reason", job.RunCanceled)
	}
	l.work.Cancel(canceled...)
	l.work.PostsAdded()
	return nil, err
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
		requested, err := store.Get[store.Version](tx, run.VersionID)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		file, err := store.Get[store.File](tx, run.FileID)
		switch {
		case err != nil, file.Version.Root != requested.Root:
			return nil, err
		case l.tools.Quick(run.Extension.Name):
			return requested, nil
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

func (l *Library) runTool(ctx context.Context, run *store.Run,
	source *store.Version,
) (out extension.Output, err error) {
	if l.injected("extensions=fail", run.ID) {
		return out, errors.New("failed by an injected fault (serve --fault)")
	}
	if source == nil {
		return out, errNewerVersion
	}
	if run.Extension.Name == store.PostTransformation {
		return out, l.makePost(ctx, run, source)
	}
	content, err := l.contents.Open(source.Hash)
	if err != nil {
		return out, fmt.Errorf("the content cannot be read: %w", err)
	}
	defer content.Close()
	reads := &noted{ReaderAt: content}
	in := extension.Input{Element: run.Extension, Content: reads, Size: source.Size, Mime: source.Mime}
	out, err = l.tools.Run(ctx, in)
	return out, reads.or(err)
}

// keepPicture makes a version of a tool's picture. The draft may be nil; discard it in the end.
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

// applyOutput records the result of a tool. failure is of the run, err is one of the records.
func (l *Library) applyOutput(tx store.Tx, run *store.Run, file *store.File, source *store.Version,
	out extension.Output, version store.Version,
) (failure, err error) {
	if file.Version.Root != source.Root || out.Picture != nil && file.Version.ID != source.ID {
		return errNewerVersion, nil
	}
	if run.Extension.Name == store.PostTransformation {
		return nil, nil // it changes nothing of the file
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

// task is one of the tasks of ai-tasks (hosted-service.md §13).
type task struct {
	Type          string            `json:"type"`
	Instruction   string            `json:"instruction"`
	Vocabulary    []json.RawMessage `json:"vocabulary"`
	Field         string            `json:"field"`
	MinSelections *int              `json:"min_selections"`
	MaxSelections *int              `json:"max_selections"`
	OnYes         *outcome          `json:"on_yes"`
	OnNo          *outcome          `json:"on_no"`
	OnUnknown     *outcome          `json:"on_unknown"`
}

// outcome is what to do after an answer to a question.
type outcome struct {
	AddTags     []string `json:"add_tags"`
	RemoveTags  []string `json:"remove_tags"`
	SetMetadata []struct {
		Field string          `json:"field"`
		Value json.RawMessage `json:"value"`
	} `json:"set_metadata"`
	UnsetMetadata []struct {
		Field string `json:"field"`
	} `json:"unset_metadata"`
}

const (
	maxTasks       = 10
	maxInstruction = 2000 // characters
	maxVocabulary  = 30
	maxTagText     = 500 // total characters of a tag vocabulary
)

// readTasks reads the tasks of ai-tasks. The error says what is wrong with them.
func readTasks(text json.RawMessage) (tasks []task, err error) {
	if err := decodeStrict(text, &tasks); err != nil {
		return nil, errors.New("tasks cannot be read: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(tasks) < 1 || len(tasks) > maxTasks {
		return nil, fmt.Errorf("it takes 1 to %d tasks, not %d", maxTasks, len(tasks))
	}
	for i := range tasks {
		if reason := tasks[i].misfit(); reason != "" {
			return nil, fmt.Errorf("task %d: %s", i+1, reason)
		}
	}
	return tasks, nil
}

// misfit returns what is wrong with a task, or "".
func (t *task) misfit() string {
	if n := utf8.RuneCountInString(t.Instruction); n < 1 || n > maxInstruction {
		return fmt.Sprintf("its instruction has %d characters; the limit is 1 to %d", n, maxInstruction)
	}
	selects := t.Vocabulary != nil || t.MinSelections != nil || t.MaxSelections != nil
	answers := t.OnYes != nil || t.OnNo != nil || t.OnUnknown != nil
	switch {
	case t.Type == "yes_no" && (selects || t.Field != ""):
		return "a question has no vocabulary, field or selections"
	case t.Type == "yes_no" && t.OnYes == nil && t.OnNo == nil:
		return "on_yes or on_no is missing"
	case t.Type == "yes_no":
		return ""
	case t.Type != "select_tags" && t.Type != "select_metadata":
		return quote(t.Type) + " is not select_tags, select_metadata or yes_no"
	case answers:
		return "only yes_no has on_yes, on_no and on_unknown"
	case t.Type == "select_metadata" && t.Field == "":
		return "field is missing"
	case t.Type == "select_tags" && t.Field != "":
		return "only select_metadata has a field"
	case t.Vocabulary == nil && t.Type == "select_tags", t.Vocabulary != nil && len(t.Vocabulary) == 0, len(t.Vocabulary) > maxVocabulary:
		return fmt.Sprintf("its vocabulary has %d words; the limit is 1 to %d", len(t.Vocabulary), maxVocabulary)
	case t.MinSelections != nil && *t.MinSelections < 0, t.MaxSelections != nil && *t.MaxSelections < 1,
		t.MinSelections != nil && t.MaxSelections != nil && *t.MinSelections > *t.MaxSelections:
		return "min_selections and max_selections exclude every number"
	}
	length := 0
	for _, raw := range t.Vocabulary {
		var word any
		_ = json.Unmarshal(raw, &word)
		tag, isText := word.(string)
		switch word.(type) {
		case []any, map[string]any, nil:
			return "its vocabulary contains " + string(raw)
		}
		length += utf8.RuneCountInString(tag)
		if t.Type == "select_tags" && (!isText || tag == "" || strings.Contains(tag, "%")) {
			return "its vocabulary contains " + string(raw) + ", which is not a valid tag"
		}
	}
	if t.Type == "select_tags" && length > maxTagText {
		return fmt.Sprintf("its vocabulary has %d characters in total; the limit is %d", length, maxTagText)
	}
	return ""
}

// answerTasks carries out the tasks of ai-tasks on a file. It is a stand-in, the same for the same
// request: selections are the first words of the vocabulary, and a question is answered with yes
// if it names what the tagging extensions measure, else it is unknown. If one task fails, none is
// done: failure says why. err is an error of the records.
func (l *Library) answerTasks(tx store.Tx, run *store.Run, file *store.File,
	found []api.AITag,
) (failure, err error) {
	tasks, failure := readTasks(run.Extension.Rest["tasks"])
	if failure != nil {
		return failure, nil
	}
	fields, err := metadataFields(tx)
	if err != nil {
		return nil, err
	}
	values := map[string]json.RawMessage{}
	maps.Copy(values, file.Metadata)
	for i, t := range tasks {
		if err := t.answer(file, values, fields, found); err != nil {
			return fmt.Errorf("task %d: %w", i+1, err), nil
		}
	}
	file.Metadata, file.Updated = values, l.now()
	return nil, tx.Files.Update(file)
}

func (t *task) answer(file *store.File, values map[string]json.RawMessage, fields []api.MetadataField,
	found []api.AITag,
) error {
	set := func(name string, value json.RawMessage) error {
		values[name] = value
		return rule.CheckMetadata(fields, map[string]json.RawMessage{name: value})
	}
	words := t.Vocabulary
	at := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == t.Field })
	if words == nil && at >= 0 {
		words = fields[at].Schema.Options
	}
	n := 1
	if t.MinSelections != nil {
		n = max(n, *t.MinSelections)
	}
	words = words[:min(n, len(words))]
	switch t.Type {
	case "select_tags":
		for _, raw := range words {
			var tag string
			_ = json.Unmarshal(raw, &tag) // readTasks checked it
			file.Tags = unique(append(slices.Clip(file.Tags), tag))
		}
		return nil
	case "select_metadata":
		switch {
		case at < 0:
			return fmt.Errorf("there is not a custom metadata field %s", quote(t.Field))
		case len(words) == 0:
			return fmt.Errorf("the custom metadata field %s has no options, and the task has no vocabulary", quote(t.Field))
		case fields[at].Schema.Type != rule.MetadataMultiSelect:
			return set(t.Field, words[0])
		}
		list, err := json.Marshal(words)
		if err != nil {
			return err
		}
		return set(t.Field, list)
	}
	o, instruction := t.OnUnknown, strings.ToLower(t.Instruction)
	if slices.ContainsFunc(found, func(tag api.AITag) bool {
		return strings.Contains(instruction, strings.ToLower(tag.Name))
	}) {
		o = t.OnYes
	}
	if o == nil {
		return nil
	}
	file.Tags = unique(append(slices.Clip(file.Tags), o.AddTags...))
	file.Tags = slices.DeleteFunc(file.Tags, func(tag string) bool { return slices.Contains(o.RemoveTags, tag) })
	for _, one := range o.UnsetMetadata {
		delete(values, one.Field)
	}
	for _, one := range o.SetMetadata {
		if err := set(one.Field, one.Value); err != nil {
			return err
		}
	}
	return nil
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

package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// upload is the upload operation (service.md §4.1).
func (l *Library) upload(r *http.Request) (any, error) {
	f, err := l.readForm(r)
	if err != nil {
		return nil, err
	}
	defer f.discard()
	// Required fields (service.md §4.1), and the length of the path.
	switch {
	case !f.seen["file"]:
		return nil, badRequest("Your request is missing file parameter.", "Send the file as bytes, base64 text or an address.")
	case f.upload.FileName == "":
		return nil, badRequest("Your request is missing fileName parameter.", "Give the file a name.")
	}
	if err := rule.CheckPathOf(&f.upload); err != nil {
		return nil, err
	}
	checks, err := f.parseChecks(r.Context())
	if err != nil {
		return nil, err
	}
	// Rejected here, an upload needs no download and no disk. The check is repeated when the record
	// is written.
	if !f.upload.UseUniqueFileName.Or(true) || len(f.upload.CustomMetadata.Or(nil)) > 0 {
		err = l.records.View(r.Context(), func(tx store.Tx) error {
			_, _, err := f.target(tx)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if f.content == nil {
		if f.content, err = l.download(r.Context(), f.upload.Source.URL); err != nil {
			return nil, err
		}
	}
	version, err := l.inspectContent(f.content)
	if err != nil {
		return nil, err
	}
	later, err := f.transform(r.Context(), &version)
	if err != nil {
		return nil, err
	}
	if text, ok := f.upload.CustomCoordinates.Get(); ok {
		_, err := rule.CheckRegion(text, version.Kind == api.KindImage, version.Width, version.Height)
		if err != nil {
			return nil, err
		}
	}
	err = f.check(r.Context(), checks, &version)
	if later && errors.Is(err, errChecks) { // of a video it is checked after the answer
		err = l.records.Update(r.Context(), func(tx store.Tx) error {
			return l.addEvent(tx, preTransformError, f.preRequest(r), map[string]any{
				"name": f.upload.FileName, "path": rule.PathOf(&f.upload), "transformation": failure(errChecks.Message),
			})
		})
		l.work.PostsAdded()
		return answerQueued, err
	} else if err != nil {
		return nil, err
	}
	version.Unpublished = f.texts[isPublished] == "false"
	return l.storeUpload(r, f, version, later)
}

// storeUpload commits a checked upload and starts its runs. later means that the service transforms
// it after the answer.
func (l *Library) storeUpload(r *http.Request, f *form, version store.Version, later bool) (any, error) {
	var file *store.File
	var runs []store.Run
	err := l.commit(r.Context(), f.content, &version, func(tx store.Tx) (err error) {
		if file, err = f.write(tx, version); err == nil {
			runs, err = l.addRuns(tx, file, f.upload.Extensions.Or(nil), f.upload.WebhookURL.Or(""))
		}
		if err == nil {
			err = l.addPosts(r.Context(), tx, file, f.upload.Transformation.Or(api.Transformation{}).Post,
				r.Header.Get(requestIDHeader))
		}
		if err == nil && later {
			// The video is stored as it came.
			err = l.addEvent(tx, preTransformSuccess, f.preRequest(r), l.record(file, false))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	l.work.PostsAdded()
	file, report, err := l.startRuns(r.Context(), file, runs)
	if err != nil {
		return nil, err
	}
	if later {
		return answerQueued, nil
	}
	record := l.record(file, false)
	record.ExtensionStatus, record.ExtensionErrors = report.status, report.errors
	return record, f.addFields(r.Context(), record, file)
}

func (f *form) preRequest(r *http.Request) any {
	t := f.upload.Transformation.Or(api.Transformation{})
	return transformRequest(r.Header.Get(requestIDHeader), t.Pre)
}

func (f *form) addFields(ctx context.Context, record *api.File, file *store.File) error {
	if f.wantsField("customMetadata") {
		withMetadata(record, file)
	}
	if f.wantsField(isPublished) {
		record.IsPublished = api.Set(!file.Version.Unpublished)
	}
	if !f.wantsField(selectedFields) && !f.wantsField("embeddedMetadata") {
		return nil
	}
	return f.library.records.View(ctx, func(tx store.Tx) (err error) {
		if f.wantsField(selectedFields) {
			record.SelectedFieldsSchema, err = fieldSchemas(tx)
		}
		if err == nil && f.wantsField("embeddedMetadata") {
			record.EmbeddedMetadata, err = tx.Versions.Embedded(file.Version.ID)
		}
		return err
	})
}

func (l *Library) inspectContent(content *store.Draft) (store.Version, error) {
	if content.Size() == 0 {
		return store.Version{}, errEmptyFile
	}
	reads := &noted{ReaderAt: content}
	bytes := io.NewSectionReader(reads, 0, content.Size())
	facts, err := media.Inspect(context.Background(), bytes)
	if err := reads.or(err); err != nil {
		return store.Version{}, fmt.Errorf("read the stored bytes: %w", err)
	}
	v := store.Version{Created: l.now()}
	v.Size, v.Mime, v.Kind = content.Size(), facts.MIME, api.KindNonImage
	// A picture of unknown size is not an image, unless it is SVG.
	if facts.Picture && (facts.Stored != image.Point{} || facts.MIME == "image/svg+xml") {
		v.Kind, v.Width, v.Height, v.HasAlpha = api.KindImage, facts.Stored.X, facts.Stored.Y, facts.Alpha
		v.Embedded = media.Embedded(bytes, facts.MIME)
	}
	return v, reads.or(nil)
}

// target returns the existing file at the target, and the consequences as the form predicts them.
func (f *form) target(tx store.Tx) (*store.File, rule.Prediction, error) {
	if values := f.upload.CustomMetadata.Or(nil); len(values) > 0 { // service.md §2.1
		fields, err := metadataFields(tx)
		if err = cmp.Or(err, rule.CheckNewMetadata(fields, values)); err != nil {
			return nil, rule.Prediction{}, err
		}
	}
	if f.upload.UseUniqueFileName.Or(true) {
		return nil, rule.Consequences(&f.upload, rule.Place{Known: true}), nil // existing files do not matter
	}
	existing, err := tx.Files.At(f.upload.Folder.Or("/"), rule.StoredName(f.upload.FileName))
	at := rule.Place{Known: true}
	switch {
	case err == nil:
		at.File = f.library.record(existing, true)
		if at.Versions, _, err = tx.Versions.Count(existing.ID); err != nil {
			return nil, rule.Prediction{}, err
		}
	case errors.Is(err, store.ErrNotFound):
		existing = nil
	default:
		return nil, rule.Prediction{}, err
	}
	prediction := rule.Consequences(&f.upload, at)
	if prediction.Result != rule.Refusal {
		return existing, prediction, nil
	}
	if !f.upload.OverwriteFile.Or(true) {
		return nil, prediction, badRequest(
			"A file with the same name already exists at the exact location. We could not overwrite it because both overwriteFile and useUniqueFileName are set to false.",
			"Set overwriteFile or useUniqueFileName to true, or choose another name.")
	}
	return nil, prediction, badRequest(
		fmt.Sprintf("The file has %d versions already, which is the limit.", rule.MaxVersions),
		"Choose another name.")
}

func (f *form) write(tx store.Tx, version store.Version) (*store.File, error) {
	existing, prediction, err := f.target(tx)
	if err != nil {
		return nil, err
	}
	u := &f.upload
	if prediction.Result == rule.NewVersion {
		_, last, err := tx.Versions.Count(existing.ID)
		if err != nil {
			return nil, err
		}
		version.ID, version.Number = store.NewID(), last+1
		version.Root = version.ID
		if applyChanges(existing, u, prediction.Changes) {
			if existing.Metadata, err = withDefaults(tx, existing.Metadata); err != nil {
				return nil, err
			}
		}
		existing.Version, existing.Updated = version, version.Created
		existing.Private = u.IsPrivateFile.Or(false)
		setTexts(existing, u.Other)
		return existing, tx.Files.Update(existing)
	}
	file := &store.File{
		ID: store.NewID(), Folder: u.Folder.Or("/"), Name: rule.StoredName(u.FileName),
		Private: u.IsPrivateFile.Or(false), Tags: u.Tags.Or(nil), Region: u.CustomCoordinates.Or(""),
		Metadata: u.CustomMetadata.Or(nil),
		Version:  version, Created: version.Created, Updated: version.Created,
	}
	setTexts(file, u.Other)
	file.Version.ID, file.Version.Root, file.Version.Number = file.ID, file.ID, 1
	if file.Metadata, err = withDefaults(tx, file.Metadata); err != nil {
		return nil, err
	}
	if err := tx.Folders.Make(file.Folder, version.Created); err != nil {
		return nil, err
	}
	for name := file.Name; ; { // a suffix hardly ever needs a second attempt
		if prediction.Suffix {
			file.Name = rule.UniqueName(name, rule.NewSuffix())
		}
		if err = tx.Files.Insert(file); !prediction.Suffix || !errors.Is(err, store.ErrExists) {
			return file, err
		}
	}
}

// applyChanges applies the predicted changes. It reports whether custom metadata was replaced.
func applyChanges(file *store.File, u *api.Upload, changes []rule.Change) (replaced bool) {
	for _, c := range changes {
		if c.Effect == rule.Retained {
			continue
		}
		// The request tells whether an aspect is removed or set.
		switch c.Aspect {
		case rule.AspectTags:
			file.Tags = u.Tags.Or(nil)
		case rule.AspectAITags:
			file.AITags = nil
		case rule.AspectRegion:
			file.Region = u.CustomCoordinates.Or("")
		case rule.AspectMetadata:
			file.Metadata, replaced = u.CustomMetadata.Or(nil), true
		}
	}
	return replaced
}

func (l *Library) openContent(v *store.Version) (store.Content, error) {
	content, err := l.contents.Open(v.Hash)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("the content %s of the version %s is missing", v.Hash, v.ID)
	}
	return content, err
}

// noted remembers a read error, which a decoder may report as bad content.
type noted struct {
	io.ReaderAt
	failed atomic.Pointer[error]
}

func (n *noted) ReadAt(p []byte, at int64) (int, error) {
	read, err := n.ReaderAt.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		n.failed.Store(&err)
	}
	return read, err
}

// or returns the read error, if any, else err.
func (n *noted) or(err error) error {
	if failed := n.failed.Load(); failed != nil {
		return *failed
	}
	return err
}

const (
	commitTimeout = 10 * time.Second // how long an upload waits while its content is being removed
	// removalTimeout is the time after which an unfinished removal has failed. Its process sends no
	// more requests then.
	removalTimeout = 5 * time.Minute
)

// commit commits the content of v and runs write to record it. If another process is removing this
// content from a shared store, it waits and commits again.
func (l *Library) commit(ctx context.Context, content *store.Draft, v *store.Version,
	write func(store.Tx) error,
) (err error) {
	var removed store.Removal
	var ended bool
	for until := time.Now().Add(commitTimeout); ; {
		if v.Hash, err = content.Commit(); err != nil {
			return err
		}
		err = l.records.Update(ctx, func(tx store.Tx) error {
			if ended { // before the commit
				if err := tx.Remove(&removed); err != nil {
					return err
				}
			}
			return write(tx)
		})
		retired, ok := errors.AsType[*store.RetiredError](err)
		if !ok {
			return err
		}
		removed = retired.Removal
		if ended = removed.Done || time.Since(removed.At) > removalTimeout; ended {
			continue
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		if time.Now().After(until) {
			return &store.DownError{Part: "storage", Err: err}
		}
	}
}

// parseChecks reads the checks of an upload (hosted-service.md §12). Their grammar is that
// of searches, their fields are in quotation marks. nil: there are none.
func (f *form) parseChecks(ctx context.Context) (*store.Match, error) {
	text := f.upload.Other.Text(rule.FieldChecks)
	if text == "" {
		return nil, nil
	}
	fields, err := store.View(ctx, f.library.records, metadataFields)
	if err != nil {
		return nil, err
	}
	c, err := rule.ParseChecks(text, fields, true)
	var m *store.Match
	if err == nil {
		find := func(name rule.SearchWord) (searchSubject, error) { return findGiven(name, fields) }
		m, err = (&matcher{now: f.library.now(), find: find}).match(&c)
	}
	if err != nil {
		err = badRequest("Your request contains invalid syntax for the checks parameter.", "The problem: "+err.Error()+".")
	}
	return m, err
}

func findGiven(name rule.SearchWord, fields []api.MetadataField) (searchSubject, error) {
	schema, takes, err := rule.ChecksField(name, fields, true)
	s := searchSubject{store.MatchGiven, name.Text, takes, valueOf(schema), nil}
	switch {
	case name.Text == "request.folder":
		s.read = givenFolder
	case name.Text == rule.ChecksSize:
		s.read = func(v rule.SearchWord, _ string, _ time.Time) (any, error) {
			n, err := rule.SearchSize(v.Text)
			return float64(n), err
		}
	case schema.Type == rule.MetadataDate:
		s.read, s.build = timeOf, buildDate
	}
	return s, err
}

// givenFolder reads a folder as the request has it after it was read. A folder that a name begins
// with is no more than completed: its last part may be the beginning of one.
func givenFolder(v rule.SearchWord, operator string, now time.Time) (any, error) {
	clean, err := rule.CleanFolder(v.Text)
	if err != nil {
		return nil, err
	}
	if operator == ":" && !strings.HasSuffix(v.Text, "/") {
		clean = strings.TrimSuffix(clean, "/")
	}
	v.Text = clean
	return valueOf(api.MetadataSchema{Type: rule.MetadataText})(v, operator, now)
}

func (f *form) check(ctx context.Context, m *store.Match, version *store.Version) error {
	if m == nil {
		return nil
	}
	given, err := f.given(ctx, version)
	if err != nil {
		return err
	}
	met, err := store.View(ctx, f.library.records,
		func(tx store.Tx) (bool, error) { return tx.Files.Meets(given, m) })
	if err == nil && !met {
		err = errChecks
	}
	return err
}

var errChecks = badRequest("Your request failed 'checks' validation.", "The file does not meet the condition of this upload.")

// given are the fields that checks can ask for. What a file does not have is left out.
func (f *form) given(ctx context.Context, version *store.Version) (map[string]any, error) {
	u := &f.upload
	given := map[string]any{
		"request.fileName": u.FileName, "request.folder": u.Folder.Or("/"), "request.isPublished": f.texts["isPublished"] != "false",
		"file.size": version.Size, "file.mime": version.Mime,
	}
	for _, field := range entry.Fields {
		if field.Kind == entry.KindSwitch {
			value := cmp.Or(f.texts[field.Name], strconv.FormatBool(field.Default))
			given["request."+field.Name] = value == "true"
		}
	}
	given["request.useUniqueFileName"] = u.UseUniqueFileName.Or(true)
	for name, value := range u.CustomMetadata.Or(nil) {
		given["request.customMetadata."+name] = value
	}
	if tags, ok := u.Tags.Get(); ok {
		given["request.tags"] = tags
	}
	for name, value := range map[string]api.Field[string]{
		"customCoordinates": u.CustomCoordinates, "webhookUrl": u.WebhookURL,
	} {
		if text, ok := value.Get(); ok {
			given["request."+name] = text
		}
	}
	reads := &noted{ReaderAt: f.content}
	facts, err := media.ReadFacts(ctx, io.NewSectionReader(reads, 0, version.Size))
	if err := reads.or(err); err != nil {
		return nil, fmt.Errorf("read the stored bytes: %w", err)
	}
	codecs := map[string]string{"videoCodec": facts.VideoCodec, "audioCodec": facts.AudioCodec}
	for name, codec := range codecs {
		if codec != "" {
			given["mediaMetadata."+name] = codec
		}
	}
	if facts.Stored.X > 0 {
		given["mediaMetadata.width"], given["mediaMetadata.height"] = facts.Stored.X, facts.Stored.Y
	}
	if seconds := facts.Duration.Seconds(); seconds > 0 {
		given["mediaMetadata.duration"], given["mediaMetadata.bitRate"] = seconds, float64(version.Size)*8/1000/seconds
	}
	return given, nil
}

package local

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"time"

	"mediadesk/api"
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
	if err := f.missing(); err != nil {
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
		if _, err := rule.CheckRegion(text, version.Kind == api.KindImage, version.Width, version.Height); err != nil {
			return nil, err
		}
	}
	err = f.check(r.Context(), checks, &version)
	if later && errors.Is(err, errChecks) { // of a video it is checked after the answer
		return answerQueued, f.failLater(r)
	} else if err != nil {
		return nil, err
	}
	version.Unpublished = f.texts["isPublished"] == "false"
	var runs, posts []store.Run
	file, err := record(r.Context(), l, f.content, &version, func(tx store.Tx) (*store.File, error) {
		file, err := f.write(tx, version)
		if err == nil {
			runs, err = l.addRuns(tx, file, f.upload.Extensions.Or(nil), f.upload.WebhookURL.Or(""))
		}
		if err == nil {
			posts, err = l.addPosts(tx, file, f.upload.Transformation.Or(api.Transformation{}).Post, r.Header.Get(requestIDHeader))
		}
		if err == nil && later {
			// The video is stored as it came.
			err = l.addEvent(tx, preTransformSuccess, r.Header.Get(requestIDHeader), f.upload.Transformation.Or(api.Transformation{}).Pre, l.record(file, false))
		}
		return file, err
	})
	if err != nil {
		return nil, err
	}
	defer l.work.Begin(posts)
	file, report, err := l.startRuns(r.Context(), file, runs)
	if err != nil {
		return nil, err
	}
	if later {
		l.work.PostsAdded()
		return answerQueued, nil
	}
	record := l.record(file, false)
	record.ExtensionStatus, record.ExtensionErrors = report.status, report.errors
	return record, f.addFields(r.Context(), record, file)
}

// failLater records the event that a video, for which the answer came before its checks, fails
// them.
func (f *form) failLater(r *http.Request) error {
	l := f.library
	err := l.records.Update(r.Context(), func(tx store.Tx) error {
		return l.addEvent(tx, preTransformError, r.Header.Get(requestIDHeader), f.upload.Transformation.Or(api.Transformation{}).Pre,
			map[string]any{"name": f.upload.FileName, "path": rule.PathOf(&f.upload), "transformation": failure(errChecks.Message)})
	})
	l.work.PostsAdded()
	return err
}

// addFields adds what responseFields ask for.
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
	err := f.library.records.View(ctx, func(tx store.Tx) (err error) {
		if f.wantsField(selectedFields) {
			record.SelectedFieldsSchema, err = fieldSchemas(tx)
		}
		if err == nil && f.wantsField("embeddedMetadata") {
			record.EmbeddedMetadata, err = tx.Versions.Embedded(file.Version.ID)
		}
		return err
	})
	return deletedMeanwhile(err)
}

// inspectContent inspects stored bytes and returns a version without id and hash.
func (l *Library) inspectContent(content store.Draft) (store.Version, error) {
	if content.Size() == 0 {
		return store.Version{}, errEmptyFile
	}
	return newVersion(content, content.Size(), l.now())
}

func newVersion(content io.ReaderAt, size int64, now time.Time) (store.Version, error) {
	reads := &noted{ReaderAt: content}
	bytes := io.NewSectionReader(reads, 0, size)
	facts, err := media.Inspect(context.Background(), bytes)
	if err := reads.or(err); err != nil {
		return store.Version{}, fmt.Errorf("read the stored bytes: %w", err)
	}
	v := store.Version{Created: now, Facts: store.Facts{Size: size, Mime: facts.MIME, Kind: api.KindNonImage}}
	// A picture of unknown size is not an image, unless it is SVG.
	if facts.Kind == media.KindPicture && (facts.Stored != image.Point{} || facts.MIME == "image/svg+xml") {
		v.Kind, v.Width, v.Height, v.HasAlpha = api.KindImage, facts.Stored.X, facts.Stored.Y, facts.Alpha
		v.Embedded = media.Embedded(bytes, facts.MIME)
	}
	return v, reads.or(nil)
}

// target returns the existing file at the target of the upload, and the consequences as the form
// predicts them.
func (f *form) target(tx store.Tx) (*store.File, rule.Prediction, error) {
	if err := checkMetadata(tx, f.upload.CustomMetadata.Or(nil)); err != nil {
		return nil, rule.Prediction{}, err
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

// write records a new file or version.
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
		existing.Version, existing.Private, existing.Updated = version, u.IsPrivateFile.Or(false), version.Created
		setTexts(existing, u.Other)
		return existing, tx.Files.Update(existing)
	}
	file := &store.File{
		ID: store.NewID(), Folder: u.Folder.Or("/"), Name: rule.StoredName(u.FileName), Private: u.IsPrivateFile.Or(false),
		Tags: u.Tags.Or(nil), Region: u.CustomCoordinates.Or(""), Metadata: u.CustomMetadata.Or(nil),
		Version: version, Created: version.Created, Updated: version.Created,
	}
	setTexts(file, u.Other)
	file.Version.ID, file.Version.Root, file.Version.Number = file.ID, file.ID, 1
	if file.Metadata, err = withDefaults(tx, file.Metadata); err != nil {
		return nil, err
	}
	if err := tx.Folders.Make(file.Folder, version.Created); err != nil {
		return nil, err
	}
	if prediction.Suffix {
		return file, insertUnique(tx, file)
	}
	return file, tx.Files.Insert(file)
}

// insertUnique inserts a file under a name with a unique suffix. It hardly ever needs a second
// attempt.
func insertUnique(tx store.Tx, file *store.File) error {
	name := file.Name
	for {
		file.Name = rule.UniqueName(name, rule.NewSuffix())
		if err := tx.Files.Insert(file); !errors.Is(err, store.ErrExists) {
			return err
		}
	}
}

// applyChanges applies the predicted changes to an overwritten file. It reports whether its custom
// metadata was replaced.
func applyChanges(file *store.File, u *api.Upload, changes []rule.Change) (replaced bool) {
	for _, c := range changes {
		if c.Effect == rule.Kept {
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

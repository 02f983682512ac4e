package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

func (l *Library) details(tx store.Tx, r *http.Request) (any, error) {
	file, err := store.Get[store.File](tx, r.PathValue("fileId"))
	if err != nil {
		return nil, err
	}
	record := l.fullRecord(file)
	if record.SelectedFieldsSchema, err = fieldSchemas(tx); err != nil {
		return nil, err
	}
	record.EmbeddedMetadata, err = tx.Versions.Embedded(file.Version.ID)
	return record, err
}

// change is a details update. Absent fields stay, null removes the value.
type change struct {
	api.Details
	removeAll bool      // all AI tags
	remove    []string  // names of AI tags
	publish   *struct { // stands alone
		IsPublished         *bool `json:"isPublished"`
		IncludeFileVersions bool  `json:"includeFileVersions"`
	}
}

// updateDetails is the file-detail update operation (service.md §4.2).
func (l *Library) updateDetails(r *http.Request) (any, error) {
	c, err := l.readChange(r)
	if err != nil {
		return nil, err
	}
	var runs []store.Run
	file, err := store.Update(r.Context(), l.records, func(tx store.Tx) (*store.File, error) {
		file, err := store.Get[store.File](tx, r.PathValue("fileId"))
		if err != nil || c == nil {
			return file, err
		}
		if p := c.publish; p != nil {
			file.Version.Unpublished = !*p.IsPublished
			if err := tx.Versions.Publish(file.ID, *p.IsPublished, p.IncludeFileVersions); err != nil {
				return nil, err
			}
		}
		if err := c.apply(tx, file); err != nil {
			return nil, err
		}
		file.Updated = l.now()
		if err := tx.Files.Update(file); err != nil {
			return nil, err
		}
		runs, err = l.addRuns(tx, file, c.Extensions.Or(nil), c.WebhookURL.Or(""))
		return file, err
	})
	if err != nil {
		return nil, err
	}
	file, report, err := l.startRuns(r.Context(), file, runs)
	if err != nil {
		return nil, err
	}
	record := l.fullRecord(file)
	record.ExtensionStatus, record.ExtensionErrors = report.status, report.errors
	return record, nil
}

// readChange reads the body of a details update. It returns nil for an empty object.
func (l *Library) readChange(r *http.Request) (*change, error) {
	c := new(change)
	var extensions, removed, publish json.RawMessage
	into := []any{&c.Tags, &c.CustomCoordinates, &c.CustomMetadata}
	for range storedTexts() {
		into = append(into, new(api.Field[string]))
	}
	members, err := readBody(r, append(into, &extensions, &c.WebhookURL, &removed, &publish)...)
	switch {
	case err != nil || len(members) == 0:
		return nil, err
	case publish != nil && len(members) > 1:
		return nil, invalid("publish", "it stands beside other members", "Send it alone.")
	case publish != nil:
		if decodeStrict(publish, &c.publish) != nil || c.publish == nil || c.publish.IsPublished == nil {
			return nil, wrongType("publish", `Send an object such as {"isPublished":false,"includeFileVersions":true}.`)
		}
		return c, nil
	}
	c.Other = members
	var tags []*string
	if json.Unmarshal(members["tags"], &tags) == nil && slices.Contains(tags, nil) {
		return nil, badRequest("tags contain a null.", "Send an array of texts, or null to remove all tags.")
	}
	if extensions != nil && string(extensions) != "null" {
		list, err := l.readExtensions(string(extensions), true)
		if err != nil {
			return nil, err
		}
		c.Extensions = api.Set(list)
	}
	c.removeAll = string(removed) == `"all"`
	if removed != nil && !c.removeAll && json.Unmarshal(removed, &c.remove) != nil {
		return nil, wrongType("removeAITags", `Send an array of texts, or "all".`)
	}
	if problems := entry.CheckDetails(c.Details); len(problems) > 0 {
		return nil, problems[0]
	}
	if address, ok := c.WebhookURL.Get(); ok {
		if err := checkWebhook(address); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *change) apply(tx store.Tx, file *store.File) error {
	for _, f := range entry.StoredFields {
		if h, ok := handlers[f.Name]; ok {
			if err := h.change(c, tx, file); err != nil {
				return err
			}
		}
	}
	setTexts(file, c.Other)
	if c.removeAll {
		file.AITags = nil
	}
	removeAITags(file, c.remove)
	return nil
}

func (c *change) applyRegion(_ store.Tx, file *store.File) error {
	text, ok := c.CustomCoordinates.Get()
	if !ok {
		if c.CustomCoordinates.IsNull() {
			file.Region = ""
		}
		return nil
	}
	v := &file.Version
	region, err := rule.CheckRegion(text, v.Kind == api.KindImage, v.Width, v.Height)
	file.Region = region.String()
	return err
}

func (c *change) applyMetadata(tx store.Tx, file *store.File) error {
	if c.CustomMetadata.IsZero() {
		return nil
	}
	values := c.CustomMetadata.Or(nil)
	if c.CustomMetadata.IsNull() {
		file.Metadata = nil
	}
	fields, err := metadataFields(tx)
	if err != nil {
		return err
	}
	if err := rule.CheckMetadata(fields, values); err != nil {
		return err
	}
	for key, value := range values {
		if string(value) == "null" {
			delete(file.Metadata, key)
			continue
		}
		if file.Metadata == nil {
			file.Metadata = map[string]json.RawMessage{}
		}
		file.Metadata[key] = value
	}
	if len(values) == 0 && !c.CustomMetadata.IsNull() {
		return nil
	}
	return rule.CheckRequiredMetadata(fields, file.Metadata)
}

func unique(tags []string) []string {
	var list []string
	for _, tag := range tags {
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}

func (l *Library) metadata(r *http.Request) (any, error) {
	id := r.PathValue("fileId")
	return l.metadataOf(r, func(tx store.Tx) (*store.File, error) { return store.Get[store.File](tx, id) })
}

func (l *Library) metadataAt(r *http.Request) (any, error) {
	text := r.URL.Query().Get("url")
	at, err := url.Parse(text)
	is := func(base string) bool { return err == nil && strings.EqualFold(at.Scheme+"://"+at.Host, base) }
	if !is(l.Address()) && !is(l.base(r)) {
		return nil, badRequest("Your request contains invalid url parameter: "+quote(text)+".", "Send the address of a file of this library.")
	}
	folder, name := path.Split(at.Path)
	return l.metadataOf(r, func(tx store.Tx) (*store.File, error) { return tx.Files.At(folder, name) })
}

func (l *Library) metadataOf(r *http.Request, find func(store.Tx) (*store.File, error)) (any, error) {
	file, err := store.View(r.Context(), l.records, find)
	if err != nil {
		return nil, err
	}
	v := &file.Version
	content, err := l.openContent(v)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	_, format, _ := strings.Cut(v.Mime, "/")
	if v.Mime == "image/jpeg" {
		format = "jpg" // as the clients document it
	}
	m := map[string]any{"size": v.Size, "format": format, "hasTransparency": v.HasAlpha}
	if v.Kind == api.KindImage {
		m["width"], m["height"] = v.Width, v.Height // pixels as stored
		m["exif"] = media.Exif(io.NewSectionReader(content, 0, v.Size), v.Mime)
	}
	return m, nil
}

// Limits on the number of files in one request.
const (
	maxTagged  = 50
	maxDeleted = 100
)

func (l *Library) deleteFiles(r *http.Request) (any, error) {
	var list []string
	if _, err := readBody(r, &list); err != nil {
		return nil, err
	}
	remove := func(tx store.Tx, id string) error { return tx.Files.Delete(id) }
	return l.bulk(r, list, maxDeleted, "successfullyDeletedFileIds", remove)
}

func changeTags(field string, change func(f *store.File, tags []string)) operation {
	return func(l *Library, r *http.Request) (any, error) {
		var list, tags []string
		if _, err := readBody(r, &list, &tags); err != nil {
			return nil, err
		}
		if len(tags) == 0 {
			return nil, invalid(field, "it has no tags", `Send an array of texts such as ["a","b"].`)
		}
		if problems := entry.CheckDetails(api.Details{Tags: api.Set(tags)}); len(problems) > 0 {
			return nil, problems[0]
		}
		return l.bulk(r, list, maxTagged, "successfullyUpdatedFileIds", func(tx store.Tx, id string) error {
			file, err := store.Get[store.File](tx, id)
			if err != nil {
				return err
			}
			change(file, tags)
			file.Updated = l.now()
			return tx.Files.Update(file)
		})
	}
}

func addTags(f *store.File, tags []string) { f.Tags = unique(append(f.Tags, tags...)) }

func removeTags(f *store.File, tags []string) {
	f.Tags = slices.DeleteFunc(f.Tags, func(tag string) bool { return slices.Contains(tags, tag) })
}

func removeAITags(f *store.File, names []string) {
	f.AITags = slices.DeleteFunc(f.AITags, func(t api.AITag) bool { return slices.Contains(names, t.Name) })
}

// bulk changes at most most files in one transaction. If one does not exist, it changes none.
func (l *Library) bulk(r *http.Request, list []string, most int, done string,
	change func(tx store.Tx, id string) error,
) (any, error) {
	for _, id := range list {
		if !store.IsID(id) {
			return nil, invalid("fileIds", quote(id)+" is not a file id", "A file id has 24 hexadecimal digits.")
		}
	}
	if len(list) == 0 || len(list) > most {
		return nil, invalid("fileIds", "it has "+rule.Plural(len(list), "file id"), "Send 1 to "+rule.Plural(most, "file id")+".")
	}
	ids := unique(list)
	return map[string][]string{done: ids}, l.records.Update(r.Context(), func(tx store.Tx) error {
		var missing []string
		for _, id := range ids {
			switch err := change(tx, id); {
			case errors.Is(err, store.ErrNotFound):
				missing = append(missing, id)
			case err != nil:
				return err
			}
		}
		if missing != nil {
			p := refuse(http.StatusNotFound, "The requested file(s) does not exist.", "Nothing was changed. Check the file ids.")
			p.Missing = missing
			return p
		}
		return nil
	})
}

func noFileAt(path, reason string) *problem {
	return refuse(http.StatusNotFound, "No file found with filePath "+quote(path)+".", "Check the path.").because(reason)
}

// fileAt is tx.Files.At, but returns nil for a missing file.
func fileAt(tx store.Tx, folder, name string) (*store.File, error) {
	file, err := tx.Files.At(folder, name)
	return file, store.Replaced(err, store.ErrNotFound, nil)
}

// transferFile copies or moves a file into a folder. A file of that name there gets its current
// version or all.
func (l *Library) transferFile(r *http.Request, move bool) (any, error) {
	var path, into string
	var all bool
	if _, err := readBody(r, &path, &into, &all, &all); err != nil {
		return nil, err
	}
	into, err := cleanFolder(into)
	if err != nil {
		return nil, err
	}
	folder, name, err := filePath("sourceFilePath", path)
	if err != nil {
		return nil, err
	}
	return nil, l.records.Update(r.Context(), func(tx store.Tx) error {
		source, err := fileAt(tx, folder, name)
		if err != nil {
			return err
		}
		if source == nil {
			return noFileAt(path, "SOURCE_FILE_MISSING")
		}
		existing, err := fileAt(tx, into, source.Name)
		if err != nil {
			return err
		}
		if existing != nil && existing.ID == source.ID {
			return badRequest("The file is in the folder "+quote(into)+" already.", "Choose another destinationPath.").because(samePlace)
		}
		if move {
			return l.moveTo(tx, source, existing, into)
		}
		return l.copyTo(tx, source, existing, into, all)
	})
}

// copyTo copies a file into folder, with its current version or all, as a new file or as newer
// versions of existing.
func (l *Library) copyTo(tx store.Tx, source, existing *store.File, folder string, all bool) error {
	versions, err := []store.Version{source.Version}, error(nil)
	if all {
		if versions, err = tx.Versions.Of(source.ID); err != nil {
			return err
		}
		slices.Reverse(versions) // the oldest first
	}
	target, last := *source, 0
	target.ID, target.Folder, target.Created = store.NewID(), folder, l.now()
	if existing != nil {
		count, highest, err := tx.Versions.Count(existing.ID)
		if err != nil {
			return err
		}
		if count+len(versions) > rule.MaxVersions {
			return badRequest(fmt.Sprintf("The file would have more than %d versions, which is the limit.", rule.MaxVersions),
				"Delete some of its versions, or choose another name.").because("VERSION_LIMIT_EXCEEDED")
		}
		target.ID, target.Name, target.Created, last = existing.ID, existing.Name, existing.Created, highest
	}
	target.Updated = l.now()
	current := 0
	for i := range versions {
		v := &versions[i]
		if v.ID == source.Version.ID {
			current = i
		}
		if v.Embedded, err = tx.Versions.Embedded(v.ID); err != nil {
			return err
		}
		if v.ID, v.Number = store.NewID(), last+i+1; v.Number == 1 {
			v.ID = target.ID
		}
		v.Root = v.ID
	}
	target.Version = versions[current]
	if existing == nil {
		if err := rule.CheckPath(target.Path()); err != nil {
			return err
		}
		if err := tx.Folders.Make(folder, target.Updated); err != nil {
			return err
		}
		err = tx.Files.Insert(&target)
	} else {
		err = tx.Files.Update(&target)
	}
	for i := range versions {
		if err == nil && i != current {
			err = tx.Versions.Add(target.ID, &versions[i])
		}
	}
	return err
}

// moveTo moves a file into folder. existing is the file of its name there, or nil.
func (l *Library) moveTo(tx store.Tx, source, existing *store.File, folder string) error {
	if existing == nil {
		if err := tx.Folders.Make(folder, l.now()); err != nil {
			return err
		}
		return l.replace(tx, source, folder, source.Name)
	}
	if err := l.copyTo(tx, source, existing, folder, true); err != nil {
		return err
	}
	return tx.Files.Delete(source.ID)
}

func (l *Library) replace(tx store.Tx, file *store.File, folder, name string) error {
	if err := rule.CheckPath(folder + name); err != nil {
		return err
	}
	if err := tx.Files.Move(file.ID, folder, name); err != nil {
		return err
	}
	file.Updated = l.now()
	return tx.Files.Update(file)
}

func (l *Library) renameFile(r *http.Request) (any, error) {
	var path, name string
	var purge bool
	if _, err := readBody(r, &path, &name, &purge); err != nil {
		return nil, err
	}
	if broken, ok := errors.AsType[*api.RuleError](rule.CheckName(name)); ok {
		return nil, invalid("newFileName", broken.Message, broken.Help)
	}
	folder, old, err := filePath("filePath", path)
	if err != nil {
		return nil, err
	}
	name = rule.StoredName(name)
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		file, err := fileAt(tx, folder, old)
		switch {
		case err != nil:
			return err
		case file == nil:
			return noFileAt(path, "FILE_MISSING")
		case file.Name == name:
			return badRequest("The file already has the name "+quote(name)+".", "Choose another newFileName.").because("SAME_OLD_AND_NEW_NAME")
		}
		return l.replace(tx, file, file.Folder, name)
	})
	if err != nil {
		taken := refuse(http.StatusConflict, "File with name "+quote(name)+" already exists at the same location.", "Choose another name.")
		return nil, store.Replaced(err, store.ErrExists, taken.because("FILE_ALREADY_EXISTS"))
	}
	answer := map[string]string{}
	if purge {
		answer["purgeRequestId"] = newJob(jobPurge)
	}
	return answer, nil
}

// record returns the record of a file (service.md §2.1) without the fields returned on request
// only. details selects the name of the thumbnail field (§4.1 or §4.2).
func (l *Library) record(f *store.File, details bool) *api.File {
	v := &f.Version
	r := &api.File{
		FileID: f.ID, Type: api.TypeFile, Name: f.Name, FilePath: f.Path(), URL: l.fileURL(f.Path()),
		FileType: v.Kind, Mime: v.Mime, Size: api.Set(v.Size), HasAlpha: api.Set(v.HasAlpha),
		Tags: orNull(f.Tags, len(f.Tags)), AITags: orNull(f.AITags, len(f.AITags)),
		CustomCoordinates: orNull(f.Region, len(f.Region)), IsPrivateFile: api.Set(f.Private),
		VersionInfo: &api.VersionInfo{ID: v.ID, Name: fmt.Sprint("Version ", v.Number)}, Other: texts(f),
		CreatedAt: timeText(f.Created), UpdatedAt: timeText(f.Updated),
	}
	if v.Kind != api.KindImage {
		return r
	}
	if v.Width > 0 && v.Height > 0 {
		r.Width, r.Height = api.Set(v.Width), api.Set(v.Height)
	}
	thumbnail := l.Address() + "/" + delivery.ThumbnailStep + escapePath(f.Path())
	if details {
		r.Thumbnail = thumbnail
	} else {
		r.ThumbnailURL = thumbnail
	}
	return r
}

func orNull[T any](v T, length int) api.Field[T] {
	if length == 0 {
		return api.Null[T]()
	}
	return api.Set(v)
}

func (l *Library) fullRecord(f *store.File) *api.File {
	r := l.record(f, true)
	withMetadata(r, f)
	r.IsPublished = api.Set(!f.Version.Unpublished)
	return r
}

func withMetadata(r *api.File, f *store.File) {
	r.CustomMetadata = f.Metadata
	if r.CustomMetadata == nil {
		r.CustomMetadata = map[string]json.RawMessage{}
	}
}

func folderRecord(f *store.Folder) *api.File {
	return &api.File{
		Type: api.TypeFolder, FolderID: f.ID, Name: f.Name, FolderPath: strings.TrimSuffix(f.Path, "/"),
		CreatedAt: timeText(f.Created), UpdatedAt: timeText(f.Updated),
	}
}

// fileURL returns the address of a file. Paths that begin like those of operations (/v1/, /v2/,
// /api/) get an empty transformation step in front.
func (l *Library) fileURL(path string) string {
	step := ""
	if isAPI(path) {
		step = "/" + delivery.OriginalStep
	}
	return l.Address() + step + escapePath(path)
}

func escapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

func timeText(t time.Time) string { return t.UTC().Format(api.TimeLayout) }

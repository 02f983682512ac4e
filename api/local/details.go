package local

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local/store"
	"mediadesk/api/media"
	"mediadesk/api/rule"
)

// details returns the record of a file.
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
	removeAll bool     // all AI tags
	remove    []string // names of AI tags
	publish   *publication
}

// publication is the member publish of a details update, which stands alone.
type publication struct {
	IsPublished         *bool `json:"isPublished"`
	IncludeFileVersions bool  `json:"includeFileVersions"`
}

func (c *change) readPublish(text json.RawMessage, members int) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c.publish); err != nil || c.publish == nil || c.publish.IsPublished == nil {
		return wrongType("publish", `Send an object such as {"isPublished":false,"includeFileVersions":true}.`)
	}
	if members > 1 {
		return invalid("publish", "it stands beside other members", "Send it alone.")
	}
	return nil
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
	takes := []member{{rule.FieldTags, &c.Tags}, {rule.FieldRegion, &c.CustomCoordinates}, {rule.FieldMetadata, &c.CustomMetadata}}
	for _, name := range storedTexts() {
		takes = append(takes, member{name, new(api.Field[string])})
	}
	members, err := readBody(r, 0, append(takes,
		member{rule.FieldExtensions, &extensions}, member{rule.FieldWebhook, &c.WebhookURL}, member{"removeAITags", &removed}, member{"publish", &publish})...)
	switch {
	case err != nil || len(members) == 0:
		return nil, err
	case publish != nil:
		return c, c.readPublish(publish, len(members))
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
	if c.removeAll = string(removed) == `"all"`; removed != nil && !c.removeAll && json.Unmarshal(removed, &c.remove) != nil {
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

// apply applies the change to the file.
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
	file.AITags = slices.DeleteFunc(file.AITags, func(t api.AITag) bool { return slices.Contains(c.remove, t.Name) })
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

// unique drops repeated tags and keeps the order.
func unique(tags []string) []string {
	var list []string
	for _, tag := range tags {
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}

// fileMetadata is the part of a hosted service's file metadata that is known here.
type fileMetadata struct {
	Width           int                                   `json:"width,omitempty"` // pixels as stored
	Height          int                                   `json:"height,omitempty"`
	Size            int64                                 `json:"size"` // bytes
	Format          string                                `json:"format"`
	HasTransparency bool                                  `json:"hasTransparency"`
	Exif            map[string]map[string]json.RawMessage `json:"exif,omitempty"`
}

// metadata returns the metadata of a file's content, for a call of the official clients.
func (l *Library) metadata(r *http.Request) (any, error) {
	return l.metadataOf(r, func(tx store.Tx) (*store.File, error) { return store.Get[store.File](tx, r.PathValue("fileId")) })
}

// metadataAt is metadata for the file at an address.
func (l *Library) metadataAt(r *http.Request) (any, error) {
	text := r.URL.Query().Get("url")
	at, err := url.Parse(text)
	if err == nil {
		base := at.Scheme + "://" + at.Host
		if !strings.EqualFold(base, l.Address()) && !strings.EqualFold(base, l.base(r)) {
			err = errNoPath
		}
	}
	if err != nil {
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
	content, err := l.openContent(r.Context(), v)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	_, format, _ := strings.Cut(v.Mime, "/")
	if v.Mime == "image/jpeg" {
		format = "jpg" // as the clients document it
	}
	m := fileMetadata{Size: v.Size, Format: format, HasTransparency: v.HasAlpha}
	if v.Kind == api.KindImage {
		m.Width, m.Height = v.Width, v.Height
		m.Exif = media.Exif(io.NewSectionReader(content, 0, v.Size), v.Mime)
	}
	return m, nil
}

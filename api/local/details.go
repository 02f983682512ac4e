package local

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// details returns the record of a file.
func (l *Library) details(r *http.Request) (any, error) {
	return store.View(r.Context(), l.records, func(tx store.Tx) (any, error) {
		file, err := tx.File(r.PathValue("fileId"))
		if err != nil {
			return nil, err
		}
		record := l.fullRecord(file)
		if record.SelectedFieldsSchema, err = fieldSchemas(tx); err != nil {
			return nil, err
		}
		record.EmbeddedMetadata, err = tx.Embedded(file.Version.ID)
		return record, err
	})
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
		file, err := tx.File(r.PathValue("fileId"))
		if err != nil || c == nil {
			return file, err
		}
		if p := c.publish; p != nil {
			file.Version.Unpublished = !*p.IsPublished
			if err := tx.Publish(file.ID, *p.IsPublished, p.IncludeFileVersions); err != nil {
				return nil, err
			}
		}
		if err := c.apply(tx, file); err != nil {
			return nil, err
		}
		file.Updated = l.now()
		if err := tx.UpdateFile(file); err != nil {
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
	var extensions, removed json.RawMessage
	var publish json.RawMessage
	members, err := readMembers(r, 0,
		member{"tags", &c.Tags}, member{"customCoordinates", &c.CustomCoordinates}, member{"customMetadata", &c.CustomMetadata},
		member{"description", &c.Description}, member{"extensions", &extensions}, member{"webhookUrl", &c.WebhookURL},
		member{"removeAITags", &removed}, member{"publish", &publish})
	if err != nil || len(members) == 0 {
		return nil, err
	}
	if publish != nil {
		return c, c.readPublish(publish, len(members))
	}
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
	if problems := c.Check(); len(problems) > 0 {
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
	if !c.Tags.IsZero() {
		file.Tags = unique(c.Tags.Or(nil))
	}
	if text, ok := c.CustomCoordinates.Get(); ok {
		v := &file.Version
		region, err := api.CheckRegion(text, v.Kind == api.KindImage, v.Width, v.Height)
		if err != nil {
			return err
		}
		file.Region = region.String()
	} else if c.CustomCoordinates.IsNull() {
		file.Region = ""
	}
	if c.removeAll {
		file.AITags = nil
	}
	file.AITags = slices.DeleteFunc(file.AITags, func(t api.AITag) bool { return slices.Contains(c.remove, t.Name) })
	if !c.Description.IsZero() {
		file.Description = c.Description.Or("")
	}
	return c.applyMetadata(tx, file)
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
	if err := api.CheckMetadata(fields, values); err != nil {
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
	return api.CheckRequiredMetadata(fields, file.Metadata)
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

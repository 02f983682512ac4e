package local

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// fileID reads the file id in the path of a request.
func fileID(r *http.Request) (string, error) { return pathID(r, "fileId") }

func pathID(r *http.Request, name string) (string, error) {
	if id := r.PathValue(name); store.IsID(id) {
		return id, nil
	}
	return "", badRequest("Your request contains invalid "+name+" parameter.", "An id has 24 hexadecimal digits.")
}

func notFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errNoFile
	}
	return err
}

// details answers with the record of a file.
func (l *Library) details(w http.ResponseWriter, r *http.Request) error {
	id, err := fileID(r)
	if err != nil {
		return err
	}
	var record *api.File
	err = l.records.View(r.Context(), func(tx store.Tx) error {
		file, err := tx.File(id)
		if err != nil {
			return err
		}
		record = l.record(file, true)
		withMetadata(record, file)
		record.EmbeddedMetadata, err = tx.Embedded(file.Version.ID)
		return err
	})
	if err != nil {
		return notFound(err)
	}
	writeJSON(w, http.StatusOK, record)
	return nil
}

// change is a details update as it was read: what is absent stays, null
// unsets.
type change struct {
	api.Details
	removeAll bool     // of the AI tags
	remove    []string // names of AI tags
}

// updateDetails is the file-detail update operation (service.md §4.2).
func (l *Library) updateDetails(w http.ResponseWriter, r *http.Request) error {
	id, err := fileID(r)
	if err != nil {
		return err
	}
	members, err := rawMembers(r.Body)
	if err != nil {
		return err
	}
	c, err := l.readChange(members)
	if err != nil {
		return err
	}
	var file *store.File
	var runs []store.Run
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		if file, err = tx.File(id); err != nil {
			return err
		}
		if len(members) == 0 {
			return nil
		}
		if err := c.apply(tx, file); err != nil {
			return err
		}
		file.Updated = l.now()
		if err := tx.UpdateFile(file); err != nil {
			return err
		}
		runs, err = l.addRuns(tx, file, c.Extensions.Or(nil), c.WebhookURL.Or(""))
		return err
	})
	if err != nil {
		return notFound(err)
	}
	file, words, err := l.startRuns(r.Context(), file, runs)
	if err != nil {
		return err
	}
	record := l.record(file, true)
	record.ExtensionStatus, record.ExtensionErrors = words.status, words.errors
	withMetadata(record, file)
	writeJSON(w, http.StatusOK, record)
	return nil
}

// readChange reads the members of the body; an unknown one is named.
func (l *Library) readChange(members map[string]json.RawMessage) (*change, error) {
	c := new(change)
	for name, text := range members {
		var err error
		switch name {
		case "tags":
			err = json.Unmarshal(text, &c.Tags)
			var list []*string
			if err == nil && json.Unmarshal(text, &list) == nil && slices.Contains(list, nil) {
				return nil, badRequest("tags hold a null.", "Send an array of texts, or null to unset all tags.")
			}
		case "customCoordinates":
			err = json.Unmarshal(text, &c.CustomCoordinates)
		case "customMetadata":
			err = json.Unmarshal(text, &c.CustomMetadata)
		case "description":
			err = json.Unmarshal(text, &c.Description)
		case "webhookUrl":
			err = json.Unmarshal(text, &c.WebhookURL)
		case "extensions":
			if string(text) == "null" {
				continue
			}
			list, rule := l.readExtensions(string(text))
			if rule != nil {
				return nil, rule
			}
			c.Extensions = api.Set(list)
		case "publish":
			err = json.Unmarshal(text, new(map[string]json.RawMessage)) // means nothing here
		case "removeAITags":
			var word string
			if json.Unmarshal(text, &word) == nil && (word == "all" || string(text) == "null") {
				c.removeAll = word == "all"
				continue
			}
			err = json.Unmarshal(text, &c.remove)
		default:
			return nil, badRequest(quote(name)+" is no field of a details update.", "It takes tags, customCoordinates, customMetadata, description, extensions, webhookUrl and removeAITags.")
		}
		if err != nil {
			return nil, badRequest(name+" is of the wrong type.", changeHelp[name])
		}
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

var changeHelp = map[string]string{
	"tags":              `Send an array of texts such as ["a","b"], or null to unset all tags.`,
	"customCoordinates": `Send a text such as "10,20,300,200", or null to unset them.`,
	"customMetadata":    `Send an object such as {"brand":"Acme"}; a key that is null is unset.`,
	"description":       "Send a text, or null to unset it.",
	"webhookUrl":        "Send an http or https address.",
	"removeAITags":      `Send an array of texts, or "all".`,
}

// apply changes the file as asked for.
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

package local

import (
	"encoding/json"
	"errors"

	"mediadesk/api"
	"mediadesk/api/local/extension"
	"mediadesk/api/local/store"
)

// readExtensions reads the extensions of a request and checks the options of those that the library
// runs itself; others go to a command or another service. With saved, it replaces saved extensions
// by their content.
func (l *Library) readExtensions(text string, saved bool) ([]api.Extension, error) {
	list, err := api.ParseExtensions(text)
	if err != nil {
		return nil, err
	}
	for i, e := range list {
		if e.Name == api.SavedExtension && saved {
			if e, err = l.savedExtension(e); err != nil {
				return nil, err
			}
			list[i] = e
		}
		if e.Name == api.AITasks {
			if _, err := readTasks(e.Rest["tasks"]); err != nil {
				return nil, badRequest("extensions: ai-tasks: "+err.Error()+".", "Correct the task.")
			}
			continue
		}
		if !l.tools.Knows(e.Name) || !l.tools.Own(e.Name) {
			continue
		}
		if err := extension.CheckElement(e); err != nil {
			return nil, badRequest("extensions: "+e.Name+": "+err.Error()+".", "Correct the option, or leave it out.")
		}
	}
	return list, api.CheckExtensions(list)
}

// savedExtension returns the saved extension that e refers to.
func (l *Library) savedExtension(e api.Extension) (api.Extension, error) {
	var id string
	_ = json.Unmarshal(e.Rest["id"], &id)
	p, err := store.View(l.ctx, l.records, func(tx store.Tx) (*store.Preset, error) {
		p, _, err := findPreset(tx, api.SavedExtension, id)
		return p, err
	})
	if errors.Is(err, store.ErrNotFound) {
		return e, badRequest(errNoSaved.message, errNoSaved.help)
	}
	var body savedExtension
	if err == nil {
		err = json.Unmarshal(p.Body, &body)
	}
	if err == nil {
		err = json.Unmarshal(body.Config, &e)
	}
	return e, err
}

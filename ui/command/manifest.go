package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mediadesk/api"
)

// manifestRow is one source with its options. What a row does not say is as
// the flags of the command line have it.
type manifestRow struct {
	Source      string                                `json:"source"`
	Name        string                                `json:"name"`
	Unique      string                                `json:"unique"`
	Folder      *string                               `json:"folder"`
	Tags        *tagList                              `json:"tags"`
	Private     *bool                                 `json:"private"`
	Region      string                                `json:"region"`
	Description *string                               `json:"description"`
	Extensions  []api.Extension                       `json:"extensions"`
	Metadata    api.Field[map[string]json.RawMessage] `json:"metadata"`
}

// tagList is a list of tags, or one text with commas.
type tagList []string

func (t *tagList) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*t = list
		return nil
	}
	var joined string
	if err := json.Unmarshal(data, &joined); err != nil {
		return errors.New("tags are a list of texts, or one text with commas")
	}
	*t = api.SplitTags(joined)
	return nil
}

// readManifest reads a JSON array of rows, or CSV whose first line names the
// columns: source, name, unique, folder, tags, private, region, description.
// Paths count from the manifest's own folder.
func readManifest(name string, common planned) ([]planned, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("manifest: %w", err)}
	}
	var rows []manifestRow
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '[' {
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.DisallowUnknownFields()
		err = d.Decode(&rows)
	} else {
		rows, err = csvRows(text)
	}
	if err != nil {
		return nil, usage("manifest %s: %s", name, err.Error())
	}
	plans := make([]planned, 0, len(rows))
	for i, row := range rows {
		one, err := row.plan(filepath.Dir(name), common)
		if err != nil {
			return nil, usage("manifest %s, entry %d: %s", name, i+1, err.Error())
		}
		plans = append(plans, one)
	}
	return plans, nil
}

func (r manifestRow) plan(dir string, common planned) (planned, error) {
	one := common
	if r.Source == "" {
		return one, errors.New("source is missing")
	}
	path := r.Source
	if !strings.Contains(path, "://") && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	s, err := argSource(path)
	if err != nil {
		return one, err
	}
	s.Label = r.Source
	up := &one.upload
	up.Source = s
	up.FileName = r.Name
	if r.Name == "" {
		up.FileName = s.Name()
	}
	switch n := api.Naming(r.Unique); n {
	case "":
	case api.NameHere, api.NameService, api.NameExact:
		one.naming = n
	default:
		return one, fmt.Errorf("unique is here, service or off, not %q", r.Unique)
	}
	if r.Folder != nil {
		up.Folder = api.Set(*r.Folder)
	}
	if r.Tags != nil {
		up.Tags = api.Set([]string(*r.Tags))
	}
	if r.Private != nil {
		up.IsPrivateFile = api.Set(*r.Private)
	}
	if r.Region != "" {
		up.CustomCoordinates = api.Set(r.Region)
	}
	if r.Description != nil {
		up.Description = api.Set(*r.Description)
	}
	if r.Extensions != nil {
		up.Extensions = api.Set(r.Extensions)
	}
	if r.Metadata.IsSet() {
		up.CustomMetadata = r.Metadata
	}
	return one, nil
}

func csvRows(text []byte) ([]manifestRow, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = 0
	head, err := r.Read()
	if err != nil {
		return nil, errors.New("it is empty")
	}
	var rows []manifestRow
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		var row manifestRow
		for i, column := range head {
			if err := row.setColumn(strings.TrimSpace(column), fields[i]); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row)
	}
}

// setColumn fills one field from CSV; an empty cell says nothing.
func (r *manifestRow) setColumn(column, value string) error {
	text := func(into **string) {
		if value != "" {
			*into = &value
		}
	}
	switch column {
	case "source":
		r.Source = value
	case "name":
		r.Name = value
	case "unique":
		r.Unique = value
	case "folder":
		text(&r.Folder)
	case "tags":
		if value != "" {
			tags := tagList(api.SplitTags(value))
			r.Tags = &tags
		}
	case "private":
		switch value {
		case "":
		case "true", "false":
			yes := value == "true"
			r.Private = &yes
		default:
			return fmt.Errorf("private is true or false, not %q", value)
		}
	case "region":
		r.Region = value
	case "description":
		text(&r.Description)
	default:
		return fmt.Errorf("column %q is not known; there are source, name, unique, folder, tags, private, region, description", column)
	}
	return nil
}

package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

const sideFile = ".json"

// seedLibrary uploads folders with subfolders into the library of o, which must not be served yet.
// The first one stays; all are seeds that a reset can load, by the names of the folders. Injected
// faults do not apply. Existing files are kept.
func seedLibrary(ctx context.Context, p *Program, o *local.Options, dirs []string) error {
	o.Seeds = map[string]store.State{}
	quiet := *o
	quiet.Fault, quiet.Observe, quiet.Address, quiet.Webhook, quiet.Seeds = local.Fault{}, nil, "", "", nil
	for i, dir := range slices.Backward(dirs) {
		uploads, err := seedUploads(ctx, dir)
		if err != nil {
			return err
		}
		server, err := local.Serve(ctx, "127.0.0.1:0", quiet)
		if err != nil {
			return err
		}
		if i < len(dirs)-1 {
			err = server.Library.Reset(ctx, "")
		}
		stored := 0
		if err == nil {
			stored, err = seedInto(ctx, server.Address, o.Key, uploads)
		}
		var state store.State
		if err == nil {
			state, err = server.Library.State(ctx)
		}
		if err = errors.Join(err, server.Close()); err != nil {
			return err
		}
		full, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		o.Seeds[filepath.Base(full)], o.Seeds[""] = state, state // the first folder comes last
		fmt.Fprintf(p.Stderr, "Seeded %s from %s.\n", text.Plural(stored, "file"), text.Safe(dir))
	}
	return nil
}

func seedUploads(ctx context.Context, dir string) ([]api.Upload, error) {
	tree, err := session.WalkFolder(ctx, dir, "", session.Filter{})
	if err = errors.Join(append(tree.Bad, err)...); err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("--seed: %w", err)}
	}
	files := map[string]bool{}
	for _, source := range tree.Sources {
		files[source.Path] = true
	}
	var uploads []api.Upload
	for _, source := range tree.Sources {
		if of, ok := strings.CutSuffix(source.Path, sideFile); ok && files[of] {
			continue
		}
		u := api.Upload{
			Source: source, FileName: source.Name(), Folder: api.Set(path.Join("/", source.Sub)),
			UseUniqueFileName: api.Set(false), OverwriteFile: api.Set(false),
		}
		if files[source.Path+sideFile] {
			if u, err = withSideFile(u, source.Path+sideFile); err != nil {
				return nil, &exitError{exitUsage, fmt.Errorf("--seed: %s: %w", source.Path+sideFile, err)}
			}
		}
		uploads = append(uploads, u)
	}
	return uploads, nil
}

// withSideFile applies a side file to u: an object as in a manifest, without the source.
func withSideFile(u api.Upload, name string) (api.Upload, error) {
	content, err := os.ReadFile(name)
	if err == nil && !bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		err = errors.New(`it is not an object such as {"tags":["sea"]}`)
	}
	var entries []session.ManifestEntry
	if err == nil {
		entries, err = session.ReadManifest(content)
	}
	if err == nil && (len(entries) != 1 || entries[0].Source != "") {
		err = errors.New("it must contain one object with the options of one file, without a source")
	}
	e := entry.Entry{Upload: u}
	if err == nil {
		entries[0].Options.Apply(&e)
	}
	return e.Upload, err
}

// seedInto stores uploads at address and returns how many. Existing files are kept.
func seedInto(ctx context.Context, address string, key api.Key,
	uploads []api.Upload,
) (stored int, err error) {
	client, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address, Key: key})
	if err != nil {
		return 0, err
	}
	defer client.Close()
	taken := map[string]bool{}
	for file, err := range client.All(ctx, api.Query{}) {
		if err != nil {
			return 0, err
		}
		taken[file.FilePath] = true
	}
	if err := seedFields(ctx, client, uploads); err != nil {
		return 0, err
	}
	for i := range uploads {
		u := &uploads[i]
		if taken[rule.PathOf(u)] {
			continue
		}
		if _, err := client.Upload(ctx, u, nil); err != nil {
			return stored, fmt.Errorf("--seed: %s: %w", u.Source.Path, err)
		}
		stored++
	}
	return stored, nil
}

// seedFields creates the custom metadata fields that uploads use, with the types of the values.
func seedFields(ctx context.Context, client *api.Client, uploads []api.Upload) error {
	var known []api.MetadataField
	if err := client.Do(ctx, api.ListMetadataFields(""), &known); err != nil {
		return err
	}
	types := map[byte]string{
		'"': rule.MetadataText, '[': rule.MetadataMultiSelect,
		't': rule.MetadataBoolean, 'f': rule.MetadataBoolean,
	}
	schemas := map[string]api.MetadataSchema{}
	for i := range uploads {
		for name, value := range uploads[i].CustomMetadata.Or(nil) {
			schema := schemas[name]
			schema.Type = cmp.Or(schema.Type, types[value[0]], rule.MetadataNumber)
			var options []json.RawMessage
			if schema.Type == rule.MetadataMultiSelect {
				_ = json.Unmarshal(value, &options) // the service refuses anything else
			}
			for _, option := range options {
				same := func(o json.RawMessage) bool { return bytes.Equal(o, option) }
				if !slices.ContainsFunc(schema.Options, same) {
					schema.Options = append(schema.Options, option)
				}
			}
			schemas[name] = schema
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if slices.ContainsFunc(known, func(f api.MetadataField) bool { return f.Name == name }) {
			continue
		}
		field := api.MetadataField{Name: name, Label: name, Schema: schemas[name]}
		if err := client.Do(ctx, api.CreateMetadataField(field), nil); err != nil {
			return fmt.Errorf("--seed: the custom metadata field %q: %w", name, err)
		}
	}
	return nil
}

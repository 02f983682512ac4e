package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mediadesk/api"
	"mediadesk/api/session"
)

// readManifest reads a file of sources with their options. Relative paths start
// at the manifest's folder; a folder stands for the files in it.
func (u *uploadFlags) readManifest(ctx contextual, name string, common planned) ([]planned, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("manifest: %w", err)}
	}
	entries, err := session.ReadManifest(text)
	if err != nil {
		return nil, usage("manifest %s: %s", name, err.Error())
	}
	plans := make([]planned, 0, len(entries))
	if len(entries) == 0 {
		return nil, usage("manifest %s has no sources", name)
	}
	for _, entry := range entries {
		one := common
		one.from = fmt.Sprintf("manifest %s: line %d", name, entry.Line)
		fail := func(err error) ([]planned, error) { return nil, usage("%s: %s", one.from, err.Error()) }
		if one.Entry, err = entry.Entry(filepath.Dir(name), common.Entry); err != nil {
			return fail(err)
		}
		if address := one.Source.URL; address != "" {
			if err := api.CheckSourceURL(address); err != nil {
				return fail(err)
			}
		}
		more, err := u.inFolder(ctx, one, entry.Options.Has(api.FieldByName(api.FieldName)))
		if err != nil {
			return fail(err)
		}
		plans = append(plans, more...)
	}
	return plans, nil
}

// inFolder returns the plan itself, or one for each file where its source is a
// folder. named: it has a name of its own, which is for one file only.
func (u *uploadFlags) inFolder(ctx contextual, one planned, named bool) ([]planned, error) {
	source := one.Source
	if info, err := os.Stat(source.Path); source.Path == "" || err != nil || !info.IsDir() {
		return []planned{one}, nil
	}
	if named {
		return nil, errors.New("a folder cannot have a name: its files keep theirs")
	}
	list := sourceList{inFolder: map[string]bool{}}
	if err := list.folder(ctx.Context(), source.Path, source.Label, u.filter()); err != nil {
		return nil, err
	}
	u.found.merge(list)
	var plans []planned
	for _, s := range list.sources {
		plans = append(plans, one.of(s, true))
	}
	for _, err := range list.bad {
		plans = append(plans, broken(err))
	}
	return plans, nil
}

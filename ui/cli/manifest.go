package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
)

// wrongFile reports an unreadable file of a flag as wrong usage, unless a signal interrupted.
func wrongFile(what string, err error) error {
	if _, ok := errors.AsType[*terminal.SignalError](err); ok {
		return err
	}
	return &exitError{exitUsage, fmt.Errorf("%s: %w", what, err)}
}

// readManifest reads sources with their options. Relative paths are relative to the manifest, or to
// the current folder for standard input. A folder means the files in it.
func (u *uploadFlags) readManifest(ctx context.Context, p *Program, common planned) ([]planned, error) {
	name := u.manifest
	text, err := p.readInput(ctx, name)
	if err != nil {
		return nil, wrongFile("manifest", err)
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

// inFolder returns the plan, or one per file if its source is a folder. A folder cannot be named.
func (u *uploadFlags) inFolder(ctx context.Context, one planned, named bool) ([]planned, error) {
	source := one.Source
	if info, err := os.Stat(source.Path); source.Path == "" || err != nil || !info.IsDir() {
		return []planned{one}, nil
	}
	if named {
		return nil, errors.New("a folder cannot have a name: its files keep theirs")
	}
	list, sources, bad := &u.found, len(u.found.Sources), len(u.found.Bad)
	if err := list.folder(ctx, source.Path, source.Label, u.filter()); err != nil {
		return nil, err
	}
	var plans []planned
	for _, s := range list.Sources[sources:] {
		plans = append(plans, one.of(s, true))
	}
	for _, err := range list.Bad[bad:] {
		plans = append(plans, broken(err))
	}
	return plans, nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"mediadesk/api/rule"
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
// the current folder for standard input.
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
			if err := rule.CheckSourceURL(address); err != nil {
				return fail(err)
			}
		}
		plans = append(plans, one)
	}
	return plans, nil
}

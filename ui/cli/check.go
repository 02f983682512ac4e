package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"mediadesk/api/local"
	"mediadesk/ui/text"
)

// runCheck verifies the library in dir. It prints the problems to standard output and
// nothing else, so that a script can count them.
func runCheck(ctx context.Context, p *Program, f *flags, s *serveFlags, dir string) error {
	if s.from != "" && !s.repair {
		return usage("--from needs --repair")
	}
	sum, err := local.Check(ctx, dir, local.CheckOptions{Repair: s.repair, From: s.from}, func(problem local.Problem) error {
		if f.json {
			return printJSON(p.Stdout, problem)
		}
		_, err := fmt.Fprintln(p.Stdout, safeLines(problem.String()))
		return err
	})
	if err != nil {
		return err
	}
	found := "no problem"
	switch {
	case sum.Problems == 0:
	case !s.repair:
		found = text.Plural(sum.Problems, "problem")
	case sum.Unrepaired == 0:
		found = text.Plural(sum.Problems, "problem") + ", repaired"
	default:
		found = fmt.Sprintf("%s, %d not repaired", text.Plural(sum.Problems, "problem"), sum.Unrepaired)
	}
	p.note(f, "Checked %s with %s, %s: %s.", text.Plural(sum.Files, "file"), text.Plural(sum.Versions, "version"), text.Bytes(sum.Bytes), found)
	if sum.Unnamed > 0 {
		p.note(f, "%s without a record: the running library sets them aside.", text.Plural(sum.Unnamed, "content"))
	}
	if sum.Aside > 0 {
		p.note(f, "%s without a record in %s: removed after 30 days.", text.Plural(sum.Aside, "content"), filepath.Join(dir, "set-aside"))
	}
	if sum.Unrepaired > 0 {
		return &exitError{exitFailed, nil}
	}
	return nil
}

package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"mediadesk/api/local"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// runCheck verifies the library in dir. Standard output contains only the problems, so that scripts
// can count them.
func runCheck(ctx context.Context, p *Program, f *flags, s *serveFlags, dir string) error {
	if s.from != "" && !s.repair {
		return usage("--from needs --repair")
	}
	library, err := s.engines(p, dir)
	if err != nil {
		return err
	}
	sum, err := local.Check(ctx, dir, local.CheckOptions{Repair: s.repair, From: s.from, Storage: library.Storage, Database: library.Database}, func(problem local.Problem) error { return printProblem(p, f, problem) })
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
	aside := filepath.Join(dir, "set-aside")
	if library.Storage != "" {
		aside = "the storage"
	}
	if sum.Aside > 0 {
		p.note(f, "%s without a record in %s: removed after 30 days.", text.Plural(sum.Aside, "content"), aside)
	}
	if sum.Unrepaired > 0 {
		return &exitError{exitFailed, nil}
	}
	return nil
}

// engines say where records and contents of the library are.
func (s *serveFlags) engines(p *Program, dir string) (local.Options, error) {
	o := local.Options{Dir: dir}
	c, err := config.Load(p.Paths)
	if err == nil {
		o.Storage = s.storageOr(p, c.Local)
		o.Database, err = s.findDatabase(p, c.Local)
	}
	return o, err
}

// toFolder is the value of --copy-to for the folder of the library.
const toFolder = "folder"

// runCopy copies the contents of the library in dir. It prints the problems to standard output, and
// with --json the totals.
func runCopy(ctx context.Context, p *Program, f *flags, s *serveFlags, dir string) error {
	o, err := s.engines(p, dir)
	if err != nil {
		return err
	}
	to := s.copyTo
	if to == toFolder {
		to = ""
	}
	sum, err := local.CopyContents(ctx, o, to, func(problem local.Problem) error { return printProblem(p, f, problem) })
	if err != nil {
		return fmt.Errorf("%w; %s copied; run the same command to continue", err, text.Plural(sum.Contents, "content"))
	}
	if f.json {
		if err := printJSON(p.Stdout, sum); err != nil {
			return err
		}
	}
	p.note(f, "Copied %s, %s; %s already there; %s.", text.Plural(sum.Contents, "content"), text.Bytes(sum.Bytes), was(sum.Present), text.Plural(sum.Problems, "problem"))
	if sum.Problems > 0 {
		return &exitError{exitFailed, nil}
	}
	if to == "" {
		p.note(f, "Now serve the library without --storage.")
	} else {
		p.note(f, "Now serve the library with this --storage.")
	}
	return nil
}

func was(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}

// printProblem prints a problem of a content.
func printProblem(p *Program, f *flags, problem local.Problem) error {
	if f.json {
		return printJSON(p.Stdout, problem)
	}
	_, err := fmt.Fprintln(p.Stdout, safeLines(problem.String()))
	return err
}

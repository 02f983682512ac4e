package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"mediadesk/api/local"
	"mediadesk/ui/text"
)

// runCheck verifies the library. Standard output contains only the problems, so that scripts
// can count them.
func runCheck(ctx context.Context, p *Program, s *serveFlags) error {
	o := local.CheckOptions{Repair: s.repair, Storage: s.Storage, Database: s.Database}
	sum, err := local.Check(ctx, s.Dir, o, p.printProblem)
	if err != nil {
		return err
	}
	found := text.Either(sum.Problems == 0, "no problem", text.Plural(sum.Problems, "problem"))
	repaired := ", " + text.If(sum.Unrepaired > 0, text.Count(sum.Unrepaired)+" not ") + "repaired"
	found += text.If(s.repair && sum.Problems > 0, repaired)
	p.note("Checked %s with %s, %s: %s.", text.Plural(sum.Files, "file"),
		text.Plural(sum.Versions, "version"), text.Bytes(sum.Bytes), found)
	if sum.Unnamed > 0 {
		p.note("%s without a record: the running library sets them aside.", text.Plural(sum.Unnamed, "content"))
	}
	aside := text.Either(s.Storage != "", "the storage", filepath.Join(s.Dir, "set-aside"))
	if sum.Aside > 0 {
		p.note("%s without a record in %s: removed after 30 days.", text.Plural(sum.Aside, "content"), aside)
	}
	return failures{text.Either(sum.Unrepaired > 0, exitFailed, exitDone)}.exit()
}

const toFolder = "folder"

// runCopy copies the contents of the library. It prints the problems to standard output, and
// with --json the totals.
func runCopy(ctx context.Context, p *Program, s *serveFlags) error {
	to := text.If(s.copyTo != toFolder, s.copyTo)
	sum, err := local.CopyContents(ctx, s.Options, to, p.printProblem)
	if err != nil {
		return fmt.Errorf("%w; %s copied; run the same command to continue", err, text.Plural(sum.Contents, "content"))
	}
	if p.json {
		if err := p.printJSON(sum); err != nil {
			return err
		}
	}
	p.note("Copied %s, %s; %s already there; %s.", text.Plural(sum.Contents, "content"), text.Bytes(sum.Bytes),
		text.Count(sum.Present), text.Plural(sum.Problems, "problem"))
	if sum.Problems > 0 {
		return &exitError{exitFailed, nil}
	}
	p.note("Now serve the library %s.", text.Either(to == "", "without --storage", "with this --storage"))
	return nil
}

func (p *Program) printProblem(problem local.Problem) error {
	if p.json {
		return p.printJSON(problem)
	}
	_, err := fmt.Fprintln(p.Stdout, safeLines(problem.String()))
	return err
}

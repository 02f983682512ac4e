package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"mediadesk/api/local"
	"mediadesk/ui/text"
)

// runCheck verifies the library in dir. What is printed to standard output are
// the problems and nothing else, so that a script can count them.
func runCheck(ctx context.Context, p *Program, f *flags, s *serveFlags, dir string) error {
	if s.from != "" && !s.repair {
		return usage("--from goes with --repair")
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
	fmt.Fprintf(p.Stderr, "Checked %d files with %d versions, %s: %s.\n", sum.Files, sum.Versions, humanize.Bytes(uint64(sum.Bytes)), found(sum, s.repair))
	if sum.Unnamed > 0 {
		fmt.Fprintf(p.Stderr, "%s without a record: set aside while the library runs.\n", text.Plural(sum.Unnamed, "content"))
	}
	if sum.Aside > 0 {
		fmt.Fprintf(p.Stderr, "%s without a record in %s: removed after 30 days.\n", text.Plural(sum.Aside, "content"), filepath.Join(dir, "set-aside"))
	}
	if sum.Left > 0 {
		return &exitError{exitFailed, nil}
	}
	return nil
}

// found says in words how a check ended.
func found(sum local.Checked, repair bool) string {
	if sum.Problems == 0 {
		return "no problem"
	}
	text := fmt.Sprintf("%d problems", sum.Problems)
	if sum.Problems == 1 {
		text = "1 problem"
	}
	switch {
	case !repair:
	case sum.Left == 0:
		text += ", repaired"
	default:
		text += fmt.Sprintf(", %d of them left", sum.Left)
	}
	return text
}

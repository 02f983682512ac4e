package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

func (p *Program) readInput(ctx context.Context, name string) ([]byte, error) {
	if name != "-" {
		return os.ReadFile(name)
	}
	var content bytes.Buffer
	_, err := p.copyInput(ctx, &content)
	return content.Bytes(), err
}

// readList returns the entries of a list, one a line or separated by NUL.
func (p *Program) readList(ctx context.Context, flag, name string) (list []string, err error) {
	content, err := p.readInput(ctx, name)
	if err != nil {
		return nil, wrongFile(flag, err)
	}
	end := text.Either(bytes.IndexByte(content, 0) >= 0, "\x00", "\n")
	for entry := range strings.SplitSeq(string(content), end) {
		if end == "\n" {
			entry = strings.TrimSuffix(entry, "\r")
		}
		if entry == "-" {
			return nil, usage("%s %s: a list cannot contain -; for a file of this name write ./-", flag, name)
		}
		if entry != "" {
			list = append(list, entry)
		}
	}
	return list, nil
}

func takesFiles(cmd *cobra.Command) bool { return cmd.HasParent() && strings.Contains(cmd.Use, "FILE") }

// fileArgs returns the arguments with the files that - and --files-from name in place: ids, paths,
// or the JSON lines that commands print.
func (p *Program) fileArgs(cmd *cobra.Command, args []string) ([]string, error) {
	at, from, name := slices.Index(args, "-"), "standard input", "-"
	switch {
	case p.filesFrom != "" && at >= 0:
		return nil, usage("- and --files-from exclude each other: use one of them")
	case p.filesFrom != "":
		at, from, name = 0, "--files-from", p.filesFrom
	case at >= 0:
		args = slices.Delete(slices.Clone(args), at, at+1)
	default:
		return args, nil
	}
	list, err := p.readList(cmd.Context(), from, name)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		p.note("No files are listed.")
		return nil, &exitError{code: exitDone}
	}
	for i, entry := range list {
		if !strings.HasPrefix(entry, "{") {
			continue
		}
		var line struct{ Type, FileID, FilePath, FolderPath, To string }
		if err := json.Unmarshal([]byte(entry), &line); err != nil {
			return nil, usage("line %d is not an id, a path or a line of mediadesk list --json: %s", i+1, err.Error())
		}
		list[i] = line.FileID
		if line.Type == api.TypeFolder {
			list[i] = strings.TrimSuffix(cmp.Or(line.FolderPath, line.To), "/") + "/"
		} else if line.FileID == "" {
			return nil, usage("line %d names no file", i+1)
		}
	}
	args = slices.Insert(args, at, list...)
	return args, checkArgs(cmd, args)
}

// takes says what a FILE may name.
type takes int

const (
	onlyFiles takes = iota
	andFolders
	andRoot // also a folder that the service cannot list
)

func namesFolder(name string) bool { return strings.HasSuffix(name, "/") }

// isPath reports whether an argument is a library path, not an id.
func isPath(name string) bool { return strings.HasPrefix(name, "/") }

func hasPath(names []string) bool { return slices.ContainsFunc(names, isPath) }

func notRoot(folder string) error {
	if rule.FolderDepth(folder) == 0 {
		return usage("/ is the whole library: name a folder in it, such as /summer/")
	}
	return nil
}

// find reads the record of a FILE: by its id, by the path of a file or, where folders are taken,
// of a folder. A path that ends in / is a folder; otherwise a file comes before a folder of the
// same path.
func find(ctx context.Context, s *session.Session, name string, what takes) (*api.File, error) {
	none := errors.New("no such file" + text.If(what > onlyFiles, " or folder") + " in the library")
	switch {
	case !isPath(name):
		return s.ReadOrSeen(ctx, name)
	case !namesFolder(name) || what == onlyFiles:
		found, err := s.Locate(ctx, name)
		if err != nil || found.File != nil {
			return found.File, err
		}
		if what == onlyFiles {
			return nil, none
		}
	}
	folder, err := s.FindFolder(ctx, name)
	switch {
	case api.Unavailable(err) && namesFolder(name) && what == andRoot:
		return &api.File{Type: api.TypeFolder, FolderPath: name}, nil
	case (err == nil && folder == nil || api.Unavailable(err)) && !namesFolder(name):
		return nil, none
	case err == nil && folder == nil:
		return nil, errors.New("no such folder in the library")
	case err != nil:
		return nil, err
	}
	clean, _ := rule.CleanFolder(folder.FolderPath)
	if what == andFolders {
		err = notRoot(clean)
	}
	return &api.File{Type: api.TypeFolder, FolderPath: clean}, err
}

// findAll finds files side by side and calls do for each in the order of their names. A failure is
// printed and does not stop the others.
func (p *Program) findAll(ctx context.Context, s *session.Session, names []string, what takes,
	do func(*api.File) error,
) error {
	read := func(ctx context.Context, name string) (*api.File, error) { return find(ctx, s, name, what) }
	return p.readAll(ctx, names, read, func(_ string, f *api.File) error { return do(f) })
}

// readAll calls read for several names at a time and do for each result, in the order of the
// names. A failure of either is printed and does not stop the others.
func (p *Program) readAll(ctx context.Context, names []string,
	read func(context.Context, string) (*api.File, error), do func(string, *api.File) error,
) error {
	results, slots := make([]chan session.Edited, len(names)), make(chan struct{}, 16)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	for i, name := range names {
		results[i] = make(chan session.Edited, 1)
		go func() {
			slots <- struct{}{}
			file, err := read(reading, name)
			results[i] <- session.Edited{FileID: name, File: file, Err: err}
			<-slots
		}()
	}
	var failed failures
	for _, result := range results {
		r := <-result
		if r.Err == nil {
			r.Err = do(r.FileID, r.File)
		}
		if failed.add(p, r.FileID, r.Err); ctx.Err() != nil {
			break
		}
	}
	return failed.exit()
}

func fileID(ctx context.Context, s *session.Session, name string) (string, error) {
	if !isPath(name) {
		return name, nil
	}
	file, err := find(ctx, s, name, onlyFiles)
	if err != nil {
		return "", err
	}
	return file.FileID, nil
}

type failures struct{ code int }

func (n *failures) add(p *Program, name string, err error) {
	if err != nil {
		n.code = max(n.code, exitCode(err), exitFailed)
		report(p.Stderr, fmt.Errorf("%s: %w", name, err))
	}
}

func (n failures) exit() error {
	if n.code > 0 {
		return &exitError{code: n.code}
	}
	return nil
}

// each calls do for each name until ctx ends. A failure is printed and does not stop the others.
func (p *Program) each(ctx context.Context, names []string, do func(name string) error) error {
	var failed failures
	for _, name := range names {
		if failed.add(p, name, do(name)); ctx.Err() != nil {
			break
		}
	}
	return failed.exit()
}

// confirm asks a question on the terminal. The error means that the answer was not yes.
func (p *Program) confirm(ctx context.Context, question string) error {
	fmt.Fprintf(p.Stderr, "%s Type yes, or anything else to stop: ", text.Safe(question))
	in := bufio.NewReader(p.Stdin)
	answer, err := terminal.Ask(ctx, p.Stdin, func() (string, error) { return in.ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(p.Stderr)
		return err
	}
	if strings.TrimSpace(answer) != "yes" {
		fmt.Fprintln(p.Stderr, "Nothing was changed.")
		return &exitError{code: exitFailed}
	}
	return nil
}

package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// runTree lists a folder, or the library, with everything below.
func runTree(ctx context.Context, p *Program, args []string) error {
	root, _ := api.CleanFolder(strings.Join(args, "")) // at most one
	s, err := p.openOrDescribe(ctx, false)
	if err != nil {
		return err
	}
	if p.dryRun {
		return p.showRequest(s.Client.DescribeList(session.TreeQuery(root)))
	}
	files, err := s.FolderTree(ctx, root)
	switch {
	case api.Unavailable(err) && len(files) == 0:
		p.note("mediadesk: this service cannot list files. The list has the files that were uploaded from this computer.")
		if files, err = s.Seen(ctx); err != nil {
			return err
		}
		files = slices.DeleteFunc(files, func(file api.File) bool { return !strings.HasPrefix(file.FilePath, root) })
	case err != nil:
		return err
	case len(files) == 0:
		return nothingListed(ctx, p, s, api.Query{Folder: root})
	}
	if !p.json {
		return printTree(p, root, files)
	}
	return p.printFiles(files)
}

// tree holds the contents of a folder by name. Names of folders end in /.
type tree map[string]tree

// Lines for drawing a tree.
var (
	treeLines  = [4]string{"├── ", "│   ", "└── ", "    "}
	treeBlanks = [4]string{"  ", "  ", "  ", "  "} // for screen readers
)

// printTree draws the tree below a folder.
func printTree(p *Program, root string, files []api.File) error {
	t, sizes := tree{}, map[string]string{}
	var content session.FolderContent
	for i := range files {
		file := &files[i]
		path := file.FilePath
		if file.IsFolder() {
			path, _ = api.CleanFolder(file.FolderPath)
		}
		rest, below := strings.CutPrefix(path, root)
		if !below || rest == "" {
			continue
		}
		content.Add(file)
		at := t
		for part := range strings.SplitAfterSeq(rest, "/") {
			if part == "" {
				break
			}
			if at[part] == nil {
				at[part] = tree{}
			}
			at = at[part]
		}
		sizes[path] = sizeOf(file)
	}
	if _, err := fmt.Fprintln(p.Stdout, text.Safe(root)); err != nil {
		return err
	}
	lines := treeLines
	if p.prompts() {
		lines = treeBlanks
	}
	if err := t.draw(p.Stdout, root, "", lines, sizes); err != nil {
		return err
	}
	p.note("%s", contentOf(content))
	return nil
}

func (t tree) draw(w io.Writer, folder, before string, lines [4]string, sizes map[string]string) error {
	names := slices.Sorted(maps.Keys(t))
	for i, name := range names {
		own, below := lines[0], lines[1]
		if i == len(names)-1 {
			own, below = lines[2], lines[3]
		}
		line := before + own + text.Safe(name)
		if size := sizes[folder+name]; size != "" {
			line += "  " + size
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
		if err := t[name].draw(w, folder+name, before+below, lines, sizes); err != nil {
			return err
		}
	}
	return nil
}

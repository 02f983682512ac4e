package edit

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"path"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// Manager is the part of [session.Session] that manages files. The calls for many files report
// each result and stop when ctx ends.
type Manager interface {
	MoveAll(ctx context.Context, files []api.File, to string, report func(session.Edited)) []session.Edited
	CopyAll(ctx context.Context, files []api.File, to string, report func(session.Edited)) []session.Edited
	RenameAll(ctx context.Context, files []api.File, names []string,
		report func(session.Edited)) []session.Edited
	DeleteAll(ctx context.Context, files []api.File, report func(session.Edited)) []session.Edited
	ExtendAll(ctx context.Context, files []api.File, list []api.Extension,
		report func(session.Edited)) []session.Edited
	RestoreAll(ctx context.Context, files []api.File, report func(session.Edited)) []session.Edited
	PurgeAll(ctx context.Context, files []api.File, report func(session.Edited)) []session.Edited
	Places(ctx context.Context, uploads []api.Upload) ([]rule.Place, error)
	Tags(ctx context.Context) ([]string, error)
	Folders(ctx context.Context) ([]string, error)
	Versions(ctx context.Context, fileID string) ([]api.File, error)
	Restore(ctx context.Context, fileID, versionID string) (*api.File, error)
	DeleteVersion(ctx context.Context, fileID, versionID string) error
	Picture(ctx context.Context, f api.File) (path string, err error)
	Thumb(ctx context.Context, f api.File) (path string, err error)
	Undo(ctx context.Context, fileID string, policy session.Policy) ([]session.Edited, error)
	Redo(ctx context.Context, fileID string, policy session.Policy) ([]session.Edited, error)
}

// Manage offers operations on whole files, runs them in the background, and reports the results.
// The exported fields are required.
type Manage struct {
	Context context.Context
	Session Manager
	Over    *kit.Overlays
	Profile session.Profile
	Now     func() time.Time
	// Tags and Folders are suggestions while typing; may be nil.
	Tags, Folders []string
	// Took shows the changed files. It describes the change of a single one for the message after
	// an undo, or returns "". May be nil.
	Took func(list []session.Edited, at time.Time) (cmd tea.Cmd, what string)
	// Draw says how to draw pictures with Loader, which may be nil.
	Draw   func() picture.Options
	Loader *picture.Loader

	task *Task // running task, or nil
}

// ReadKnown reads the suggestions.
func (g *Manage) ReadKnown() tea.Cmd {
	return func() tea.Msg {
		tags, err := g.Session.Tags(g.Context)
		if err != nil {
			return page.Problem(err)
		}
		folders, err := g.Session.Folders(g.Context)
		if err != nil {
			return page.Problem(err)
		}
		return page.Do(func() { g.Tags, g.Folders = tags, folders })
	}
}

// Host returns the name of the service for questions.
func (g *Manage) Host() string {
	return text.Either(g.Profile.Local || g.Profile.Host == "", "the library", g.Profile.Host)
}

// FilesLabel returns the name of a file, or the number of several.
func FilesLabel(files []api.File) string {
	if len(files) == 1 {
		return Label(&files[0])
	}
	return text.Plural(len(files), "file")
}

// operation is a change of files that the menu offers.
type operation struct {
	kit.MenuRow          // its Do is set from the rest
	running, done string // such as "Moving", and "Moved %s." with the label of the files
	merged        string // see [Work]
	// folder is what it does with a folder that it asks for, such as "Move"; lost is what is deleted,
	// in a sentence with the label of the files. Both are empty for an operation that begins at once.
	folder, lost string
	do           func(ctx context.Context, files []api.File, report func(session.Edited)) []session.Edited
	// with folder
	into func(ctx context.Context, files []api.File, folder string,
		report func(session.Edited)) []session.Edited
}

func (g *Manage) row(op operation, files []api.File) kit.MenuRow {
	what := FilesLabel(files)
	work := func(folder string) Work {
		done := fmt.Sprintf(op.done, what)
		if folder != "" {
			done = fmt.Sprintf(op.done, what, folder)
		}
		return Work{
			Label: op.running, Done: done, Merged: op.merged, Files: files,
			Do: func(ctx context.Context, t *Task) []session.Edited {
				if op.into != nil {
					return op.into(ctx, files, folder, t.Count)
				}
				return op.do(ctx, files, t.Count)
			},
		}
	}
	op.MenuRow.Do = func() tea.Cmd {
		switch {
		case op.folder != "":
			return g.askFolder(op.folder, files, func(folder string) tea.Cmd { return g.into(folder, op.folder, files, work(folder)) })
		case op.lost != "":
			subject := text.Either(len(files) == 1, files[0].FilePath, what)
			return page.Send(g.askDelete("Delete "+what+"?", fmt.Sprintf(op.lost, subject), files, work("")))
		}
		return g.Run(work(""))
	}
	return op.MenuRow
}

// Rows returns the menu rows for managing files. The list of versions is that of current.
func (g *Manage) Rows(files []api.File, current api.File) []kit.MenuRow {
	s := g.Session
	versions := kit.MenuRow{Key: "v", Label: "versions", Note: "restore or delete one"}
	versions.Do = func() tea.Cmd { return g.versions(current) }
	// After a change, the first one can be in use again.
	single := !slices.ContainsFunc(files, func(f api.File) bool {
		return f.VersionInfo == nil || rule.Replaces(&f) || rule.Updated(&f).After(rule.Created(&f))
	})
	versions.Disabled = text.If(len(files) > 1, "one file only")
	versions.Note = text.Either(single, "there is only one", versions.Note)
	const broken, final = "old links stop working", "cannot be undone"
	return []kit.MenuRow{
		{Key: "r", Label: "rename", Note: broken, Do: func() tea.Cmd { return g.Rename(files) }},
		g.row(operation{
			MenuRow: kit.MenuRow{Key: "m", Label: "move to another folder", Note: broken}, folder: "Move", running: "Moving", done: "Moved %s to %s. z undoes it.",
			merged: "became a version of the file there, which undo cannot separate.", into: s.MoveAll,
		}, files),
		g.row(operation{MenuRow: kit.MenuRow{Key: "c", Label: "copy to another folder", Note: "the originals stay"}, folder: "Copy", running: "Copying", done: "Copied %s to %s.", into: s.CopyAll}, files),
		versions,
		g.row(operation{
			MenuRow: kit.MenuRow{Key: "b", Label: "restore the previous version", Note: "can be undone (z)", Disabled: text.If(single, "there is only one")},
			running: "Restoring", done: "Restored the previous version of %s. z undoes it.", do: s.RestoreAll,
		}, files),
		g.PurgeRow(files),
		{Group: "Delete", Key: "o", Label: "delete the old versions", Note: final, Danger: true, Disabled: text.If(single, "there is only one"), Do: func() tea.Cmd {
			return g.readVersions(files, g.askOld)
		}},
		g.row(operation{
			MenuRow: kit.MenuRow{Group: "Delete", Key: "d", Label: "delete " + text.ShortName(FilesLabel(files), 24), Note: final, Danger: true}, lost: "Deletes %s with all versions from " + g.Host() + ".",
			running: "Deleting", done: "Deleted %s.", do: s.DeleteAll,
		}, files),
	}
}

// PurgeRow is the menu row that purges files or folders from the cache of the service.
func (g *Manage) PurgeRow(files []api.File) kit.MenuRow {
	return g.row(operation{
		MenuRow: kit.MenuRow{Key: "p", Label: "purge the cache", Note: "visitors get new copies"}, running: "Purging the cache", done: "Purged the cache of %s.",
		do: g.Session.PurgeAll, // it is only started
	}, files)
}

// askDelete is the question before work, which deletes files. Its first choice does nothing.
func (g *Manage) askDelete(title, words string, files []api.File, work Work) page.Ask {
	ask := page.Ask{Title: title, Text: words + "\nThis cannot be undone.", Choices: []page.Choice{
		{Label: "Cancel", Key: "k"},
		{Label: "Delete", Key: "d", Danger: true, Do: func() tea.Cmd { return g.Run(work) }},
	}}
	var paths []string
	var tiles []Tile
	label := "File"
	for _, f := range files {
		at, tile := f.FilePath, Tile{Name: f.Name, Picture: ThumbOf(f, g.Session.Thumb)}
		if f.Type == api.TypeVersion && f.VersionInfo != nil {
			label = f.VersionInfo.Name
			at, tile.Name, tile.Note = label+" of "+at, label, g.versionFacts(f)
			if files[0].FileID != files[len(files)-1].FileID {
				tile.Name, tile.Note = f.Name, []string{strings.ToLower(label) + " · " + text.Bytes(f.Size.Or(0))}
			}
		}
		if paths = append(paths, at); f.IsImage() {
			tiles = append(tiles, tile)
		}
	}
	ask.Drawing = NewReview(TilesOptions{
		Context: g.Context, Loader: g.Loader, Len: func() int { return len(tiles) }, Rest: true,
		Tile: func(i int) Tile { return tiles[i] }, Notes: func() bool { return tiles[0].Note != nil },
	}, g.Draw)
	if len(files) == 1 {
		ask.Facts = [][2]string{{label, FactsOf(&files[0], Uploaded(&files[0], g.Now()))[0]}}
	}
	if len(paths) > max(1, len(tiles)) || ask.Drawing == nil && len(paths) > 1 { // the others are named or seen
		ask.Facts = [][2]string{{"Files", text.List(paths, 200)}}
	}
	return ask
}

// askFolder asks for a target folder.
func (g *Manage) askFolder(verb string, files []api.File, do func(folder string) tea.Cmd) tea.Cmd {
	moved := func(folder string) bool {
		return slices.ContainsFunc(files, func(f api.File) bool { return path.Join("/", folder) != path.Dir(f.FilePath) })
	}
	from, _ := path.Split(files[0].FilePath)
	words := text.If(!moved(from), "In "+from+" now. ") + text.If(verb == "Move", "Old links stop working. z undoes it.")
	p := FolderPrompt(verb+" "+FilesLabel(files), words, "", strings.ToLower(verb), g.Folders, do)
	complete, check := p.Complete, p.Check
	p.Complete = func(typed string) []string {
		return slices.DeleteFunc(complete(typed), func(folder string) bool { return !moved(folder) })
	}
	p.Refresh()
	p.Check = func(typed string) string {
		if wrong := check(typed); wrong != "" || typed == "" {
			return cmp.Or(wrong, "Type a folder. The topmost one is /.")
		}
		clean, _ := rule.CleanFolder(strings.TrimSpace(typed))
		return text.If(!moved(clean), FilesLabel(files)+" already in that folder. Type another one.")
	}
	return g.Over.Open(p)
}

// into runs work, which moves or copies files. It asks first if files of the same names are in the folder.
func (g *Manage) into(folder, verb string, files []api.File, work Work) tea.Cmd {
	targets := rule.Mapped(files, func(f api.File) api.Upload {
		return api.Upload{FileName: f.Name, Folder: api.Set(folder)}
	})
	return page.Within(g.Context, timeout, func(ctx context.Context) tea.Msg {
		places, _ := g.Session.Places(ctx, targets) // if that is not known, the result says it
		var taken []api.File
		for i, p := range places {
			if p.File != nil && p.File.FileID != files[i].FileID {
				taken = append(taken, files[i])
			}
		}
		return page.Then(func() tea.Cmd {
			if len(taken) == 0 {
				return g.Run(work)
			}
			alone := len(taken) == 1
			return page.Send(page.Ask{
				Title: FilesLabel(taken) + text.Either(alone, " exists", " exist") + " in " + folder + " already",
				Text: text.Either(alone, "It becomes a new version of the file there", "They become new versions of the files there") +
					text.If(verb == "Move", ", which undo cannot separate") + ".",
				Choices: []page.Choice{
					{Label: "Cancel", Key: "k"},
					{Label: verb + " " + FilesLabel(files), Key: "m", Danger: true, Do: func() tea.Cmd { return g.Run(work) }},
				},
			})
		})
	})
}

// FolderPrompt asks for a folder of the library, starting with value and suggesting known folders.
// do receives the form "/a/b/".
func FolderPrompt(title, words, value, verb string, known []string,
	do func(folder string) tea.Cmd,
) *kit.Prompt {
	p := kit.NewPrompt(title, words, "Folder", value, "such as /summer/")
	p.Verb = verb
	p.Complete = func(typed string) []string {
		if typed = strings.TrimSpace(typed); typed == "" {
			return append([]string{"/"}, known...)
		}
		list := Matches(typed, known)
		clean, err := rule.CleanFolder(typed)
		switch {
		case err != nil:
		case strings.HasSuffix(typed, "/"): // it is complete
			list = slices.Insert(slices.DeleteFunc(list, func(folder string) bool { return folder == clean }), 0, clean)
		case !slices.Contains(list, clean):
			list = append(list, clean)
		}
		return list
	}
	p.Label = func(folder string) string {
		return folder + text.If(folder != "/" && !slices.Contains(known, folder), "  new folder")
	}
	p.Check = func(content string) string {
		_, err := rule.CleanFolder(strings.TrimSpace(content))
		return page.Explain(err)
	}
	p.Do = func(content string) tea.Cmd {
		folder, _ := rule.CleanFolder(strings.TrimSpace(content)) // it was checked
		return do(folder)
	}
	p.Refresh()
	return p
}

// Rename asks for the name of one file, or a name pattern for several.
func (g *Manage) Rename(files []api.File) tea.Cmd {
	words, value := "Its URL changes with its name: links to the old one stop working. z undoes it.", files[0].Name
	if len(files) > 1 {
		words = "URLs change with the names: links to the old ones stop working. z undoes it.\n\n" + patternFileOf(files[0], 0).Examples()
		value = "{name}" // FillName keeps the extension
	}
	p := kit.NewPrompt("Rename "+FilesLabel(files), words, "Name", value, "")
	p.Stem()
	p.Verb = "rename"
	p.Check = func(content string) string {
		_, _, wrong := newNames(files, content)
		return wrong
	}
	p.Note = func(content string) string {
		var words []string
		changed, names, _ := newNames(files, content)
		if len(changed) == 1 && len(files) == 1 {
			stored, ext := rule.StoredName(names[0]), path.Ext(files[0].Name)
			words = append(words, "Stored as "+stored+". "+text.If(path.Ext(stored) != ext, "Its extension was "+cmp.Or(ext, "none")+"."))
		}
		for i := range min(len(changed), text.Either(len(files) > 1, 5, 0)) {
			words = append(words, text.ShortName(changed[i].Name, 26)+" → "+text.ShortName(rule.StoredName(names[i]), 26))
		}
		if more := len(changed) - len(words); more > 0 && len(words) > 0 {
			words = append(words, "and "+text.Count(more)+" more")
		}
		return strings.Join(words, "\n")
	}
	p.Doubt = func(content string) string {
		ext := path.Ext(files[0].Name)
		if len(files) == 1 && Pattern(content).HasFields() {
			return "Patterns are for several files: the braces become _."
		}
		return text.If(len(files) == 1 && ext != "" && strings.HasSuffix(content, ext+ext), "It ends with "+ext+" twice.")
	}
	p.Do = func(content string) tea.Cmd {
		changed, names, _ := newNames(files, content)
		done := "Renamed " + FilesLabel(changed) + ". z undoes it."
		if len(changed) == 1 {
			done = "Renamed " + changed[0].Name + " to " + rule.StoredName(names[0]) + ". z undoes it."
		}
		rename := func(ctx context.Context, t *Task) []session.Edited {
			return g.Session.RenameAll(ctx, changed, names, t.Count)
		}
		work := Work{Label: "Renaming", Done: done, Files: changed, Do: rename}
		if len(files) == 1 {
			work.Taken = func() tea.Cmd {
				return g.Over.Open(p.Refuse("Another file in this folder has that name. Type another one."))
			}
		}
		return g.Run(work)
	}
	return g.Over.Open(p)
}

// patternFileOf returns a stored file as one for patterns.
func patternFileOf(f api.File, i int) PatternFile {
	folder := strings.Trim(path.Base(path.Dir(f.FilePath)), "/.")
	return PatternFile{Name: f.Name, Folder: folder, Number: i + 1, Modified: rule.Created(&f)}
}

// newNames applies a pattern. It returns the changed files and their names, or what is wrong.
func newNames(files []api.File, pattern string) (changed []api.File, names []string, wrong string) {
	taken := map[string]bool{}
	for i, f := range files {
		name, err := strings.TrimSpace(pattern), error(nil)
		if len(files) > 1 {
			if name, err = Pattern(name).FillName(patternFileOf(f, i)); err != nil {
				return nil, nil, text.ShortName(f.Name, 26) + ": " + err.Error() + "."
			}
		}
		if err := rule.CheckName(name); err != nil {
			return nil, nil, page.Explain(err)
		}
		to := path.Dir(f.FilePath) + "/" + rule.StoredName(name)
		if taken[to] {
			return nil, nil, "Several files get the name " + rule.StoredName(name) + ". Add {n} or {name}."
		}
		taken[to] = true
		if rule.StoredName(name) != f.Name {
			changed, names = append(changed, f), append(names, name)
		}
	}
	if len(changed) == 0 {
		return nil, nil, text.Either(len(files) == 1, "That is its name already.", "No name would change.")
	}
	return changed, names, ""
}

// readVersions reads the versions of files, the current one first.
func (g *Manage) readVersions(files []api.File, then func(lists [][]api.File) tea.Cmd) tea.Cmd {
	var lists [][]api.File
	return g.Run(Work{Label: "Reading the versions", Files: files, Do: func(ctx context.Context, t *Task) []session.Edited {
		for _, f := range files {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			list, err := g.Session.Versions(ctx, f.FileID)
			cancel()
			if err != nil {
				return []session.Edited{{Err: err}}
			}
			list = slices.DeleteFunc(list, func(v api.File) bool { return v.VersionInfo == nil })
			// One that was restored is not the newest. "file" comes before "file-version".
			slices.SortStableFunc(list, func(a, b api.File) int { return cmp.Compare(a.Type, b.Type) })
			lists = append(lists, list)
			t.Count(session.Edited{})
		}
		return nil
	}, Then: func(failed []session.Edited, _ time.Time) tea.Cmd {
		if len(failed) > 0 {
			return page.Send(page.Problem(failed[0].Err))
		}
		return then(lists)
	}})
}

// askOld asks whether to delete the old versions of files, and deletes those that it shows.
func (g *Manage) askOld(lists [][]api.File) tea.Cmd {
	var old, current []api.File
	for _, list := range lists {
		for i := 1; i < len(list); i++ {
			old, current = append(old, list[i]), append(current, list[0])
		}
	}
	if len(old) == 0 {
		return page.Tell(page.Info, "There are no old versions.")
	}
	whole := text.Plural(len(old), "old version") + " of " + FilesLabel(slices.CompactFunc(slices.Clone(current), func(a, b api.File) bool { return a.FileID == b.FileID }))
	return page.Send(g.askDelete("Delete "+whole+"?", "The current version stays.", old, Work{
		Label: "Deleting versions", Done: "Deleted " + whole + ".", Files: old,
		Do: func(ctx context.Context, t *Task) (done []session.Edited) {
			for i, v := range old {
				err := g.Session.DeleteVersion(ctx, v.FileID, v.VersionID())
				done = append(done, session.Edited{FileID: v.FileID, File: &current[i], Err: err})
				t.Count(done[i])
			}
			return done
		},
	}))
}

func (g *Manage) versions(f api.File) tea.Cmd {
	return g.readVersions([]api.File{f}, func(lists [][]api.File) tea.Cmd {
		list := lists[0]
		switch {
		case len(list) == 0:
			return page.Tell(page.Info, "The service lists no versions.")
		case len(list) == 1:
			return page.Tell(page.Info, "There is only one version of "+Label(&f)+".")
		case g.Loader != nil && f.IsImage():
			return g.compare(f, list)
		}
		var rows []kit.MenuRow
		for i, v := range list {
			row := kit.MenuRow{Label: v.VersionInfo.Name, Current: i == 0, Note: strings.Join(g.versionFacts(v), "  ")}
			row.Do = func() tea.Cmd {
				return g.Over.Open(kit.NewMenu(v.VersionInfo.Name+" of "+Label(&f), g.versionRows(f, v)[text.Either(row.Current, 2, 0):]...))
			}
			rows = append(rows, row)
		}
		return g.Over.Open(kit.NewMenu("Versions of "+Label(&f), rows...))
	})
}

func (g *Manage) versionFacts(v api.File) []string {
	w, h, _ := rule.PixelSize(&v)
	return FactsLine(image.Pt(w, h), "", v.Size.Or(0), text.When(rule.Updated(&v), g.Now()))
}

// View shows stored pictures full-screen, first that of a file; moved is told which one is shown.
func (g *Manage) View(files []api.File, first api.File, moved func(api.File) tea.Cmd) tea.Cmd {
	files = slices.DeleteFunc(slices.Clone(files), func(f api.File) bool { return !f.IsImage() })
	v := NewViewer(ViewerOptions{
		Context: g.Context, Draw: g.Draw(), Images: g.Loader.Images(), Now: g.Now, Len: len(files),
		At: slices.IndexFunc(files, func(f api.File) bool { return f.FileID == first.FileID }),
		Subject: func(i int) Subject {
			return Subject{Name: Label(&files[i]), Path: Fetched(g.Session.Picture, files[i])}
		},
		Moved: func(i int) tea.Cmd { return moved(files[i]) },
	})
	return tea.Batch(g.Over.Open(v), v.Read())
}

// NoView says why there is no picture of a file to show, or "".
func (g *Manage) NoView(f api.File) string {
	return text.If(g.Loader == nil || !f.IsImage() || f.FileID == "", "there is no picture to show")
}

// compare shows the older versions of a picture beside the current one, which is the first of list.
func (g *Manage) compare(f api.File, list []api.File) tea.Cmd {
	var viewer *Viewer
	at := 1
	o := ViewerOptions{
		Context: g.Context, Draw: g.Draw(), Images: g.Loader.Images(), Len: len(list) - 1, Now: g.Now,
		Note:    func() string { return list[at].VersionInfo.Name + ": " + g.versionFacts(list[at])[0] },
		Moved:   func(i int) tea.Cmd { at = i + 1; return nil },
		Subject: func(int) Subject { return Subject{Name: Label(&f), Path: Fetched(g.Session.Picture, f)} },
		Before: func(i int) func(context.Context) (string, error) {
			return Fetched(g.Session.Picture, list[i+1])
		},
		Halves: func(i int) (left, right string) {
			return list[i+1].VersionInfo.Name, list[0].VersionInfo.Name + " (now)"
		},
	}
	o.Actions = func() []kit.Action {
		return rule.Mapped(g.versionRows(f, list[at]), func(r kit.MenuRow) kit.Action {
			words := r.Label + text.If(r.Key != "o", " "+list[at].VersionInfo.Name)
			return kit.Action{Keys: kit.Bind(words, "", r.Key), Group: "Version", Footer: r.Key != "o", Do: func() tea.Cmd {
				return tea.Batch(viewer.Close(), r.Do())
			}}
		})
	}
	viewer = NewViewer(o)
	return tea.Batch(g.Over.Open(viewer), viewer.Read())
}

// versionRows are what can be done with a version; only the last one with that in use.
func (g *Manage) versionRows(f, v api.File) []kit.MenuRow {
	name, id := v.VersionInfo.Name+" of "+Label(&f), v.VersionInfo.ID
	work := func(label, done string, do func(context.Context) (*api.File, error)) Work {
		return Work{
			Label: label, Done: done, Files: []api.File{f},
			Do: func(ctx context.Context, _ *Task) []session.Edited {
				file, err := do(ctx)
				return []session.Edited{{FileID: f.FileID, File: file, Err: err}}
			},
		}
	}
	return []kit.MenuRow{
		{Key: "r", Label: "restore", Note: "makes it the current version; z undoes it", Do: func() tea.Cmd {
			return g.Run(work("Restoring", "Restored "+name+". z undoes it.",
				func(ctx context.Context) (*api.File, error) { return g.Session.Restore(ctx, f.FileID, id) }))
		}},
		{Key: "d", Label: "delete", Note: "cannot be undone", Danger: true, Do: func() tea.Cmd {
			ask := g.askDelete("Delete "+name+"?", "The current version stays.", []api.File{v},
				work("Deleting versions", "Deleted "+name+".", func(ctx context.Context) (*api.File, error) {
					return &f, g.Session.DeleteVersion(ctx, f.FileID, id)
				}))
			ask.Choices[0].Do = func() tea.Cmd { return g.versions(f) } // back to them
			return page.Send(ask)
		}},
		{Key: "o", Label: "open in the browser", Note: v.URL, Do: func() tea.Cmd { return page.Send(page.Open{Address: v.URL}) }},
	}
}

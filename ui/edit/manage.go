package edit

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Manager changes whole files. The calls for many files report each result as it
// comes and stop when ctx ends.
type Manager interface {
	MoveAll(ctx context.Context, files []api.File, folder string, report func(session.Edited)) []session.Edited
	CopyAll(ctx context.Context, files []api.File, folder string, report func(session.Edited)) []session.Edited
	RenameAll(ctx context.Context, files []api.File, names []string, report func(session.Edited)) []session.Edited
	DeleteAll(ctx context.Context, files []api.File, report func(session.Edited)) []session.Edited
	TagAll(ctx context.Context, files []api.File, retag func(have []string) []string, report func(session.Edited)) []session.Edited
	ExtendAll(ctx context.Context, files []api.File, list []api.Extension, report func(session.Edited)) []session.Edited
	RestoreAll(ctx context.Context, files []api.File, report func(session.Edited)) []session.Edited
	DeleteOldVersions(ctx context.Context, files []api.File, report func(session.Edited)) []session.Edited
}

// Work is a change of files that runs in the background.
type Work struct {
	// Label says what is under way, such as "Moving".
	Label string
	// Done says what was done, as a sentence, where nothing failed.
	Done string
	// Files are those that it changes; none: it is about a folder.
	Files []api.File
	Do    func(ctx context.Context, report func(session.Edited)) []session.Edited
}

// Manage offers what can be done with one or more whole files. Every field is needed.
type Manage struct {
	Session Manager
	Over    *kit.Overlays
	// Host names the service in questions.
	Host string
	// Tags and Folders are offered while they are typed.
	Tags, Folders []string
	// Run starts what was chosen.
	Run func(Work) tea.Cmd
}

// FilesLabel names files: the name of one, the number of several.
func FilesLabel(files []api.File) string {
	if len(files) == 1 {
		return files[0].Name
	}
	return text.Plural(len(files), "file")
}

// Rows are the menu rows for some files.
func (g *Manage) Rows(files []api.File) []kit.MenuRow {
	what := FilesLabel(files)
	s := g.Session
	return []kit.MenuRow{
		{Key: "t", Label: "add tags", Note: "z undoes it", Do: func() tea.Cmd { return g.askTags(files, true) }},
		{Key: "u", Label: "remove tags", Note: "z undoes it", Do: func() tea.Cmd { return g.askTags(files, false) }},
		{Key: "r", Label: "rename", Note: "links to the old URLs stop working", Do: func() tea.Cmd { return g.askRename(files) }},
		{Key: "m", Label: "move to another folder", Note: "z undoes it", Do: func() tea.Cmd {
			return g.askFolder("Move "+what, "move", func(folder string) tea.Cmd {
				return g.Run(Work{"Moving", "Moved " + what + " to " + folder + ". z undoes it.", files, func(ctx context.Context, report func(session.Edited)) []session.Edited {
					return s.MoveAll(ctx, files, folder, report)
				}})
			})
		}},
		{Key: "c", Label: "copy to another folder", Do: func() tea.Cmd {
			return g.askFolder("Copy "+what, "copy", func(folder string) tea.Cmd {
				return g.Run(Work{"Copying", "Copied " + what + " to " + folder + ".", files, func(ctx context.Context, report func(session.Edited)) []session.Edited {
					return s.CopyAll(ctx, files, folder, report)
				}})
			})
		}},
		{Key: "x", Label: "run an extension", Do: func() tea.Cmd { return g.Extend(files) }},
		{Key: "v", Label: "restore the version before the current one", Note: "z undoes it", Do: func() tea.Cmd {
			return g.Run(Work{"Restoring", "Restored the version before of " + what + ". z undoes it.", files, func(ctx context.Context, report func(session.Edited)) []session.Edited {
				return s.RestoreAll(ctx, files, report)
			}})
		}},
		{Key: "o", Label: "delete old versions", Note: "cannot be undone", Do: func() tea.Cmd {
			return g.askDelete("Delete the old versions of "+what+"?", "All versions but the current one are deleted from "+g.Host+".", "Delete old versions", files,
				Work{"Deleting", "Deleted the old versions of " + what + ".", files, func(ctx context.Context, report func(session.Edited)) []session.Edited {
					return s.DeleteOldVersions(ctx, files, report)
				}})
		}},
		{Key: "d", Label: "delete " + what, Note: "cannot be undone", Do: func() tea.Cmd {
			pronoun := "its"
			if len(files) > 1 {
				pronoun = "their"
			}
			return g.askDelete("Delete "+what+"?", what+" and all "+pronoun+" versions are deleted from "+g.Host+".", "Delete "+what, files,
				Work{"Deleting", "Deleted " + what + ".", files, func(ctx context.Context, report func(session.Edited)) []session.Edited {
					return s.DeleteAll(ctx, files, report)
				}})
		}},
	}
}

// maxNamed is how many files a question names.
const maxNamed = 5

// askDelete asks with the paths of the files.
func (g *Manage) askDelete(title, words, label string, files []api.File, work Work) tea.Cmd {
	var paths []string
	for _, f := range files[:min(len(files), maxNamed)] {
		paths = append(paths, f.FilePath)
	}
	if more := len(files) - maxNamed; more > 0 {
		paths = append(paths, "and "+text.Plural(more, "other"))
	}
	return page.Send(page.Ask{
		Title: title, Text: words + " This cannot be undone.\n\n" + strings.Join(paths, "\n"),
		Choices: []page.Choice{
			{Label: "Cancel", Key: "k"},
			{Label: label, Key: "d", Danger: true, Do: func() tea.Cmd { return g.Run(work) }},
		},
	})
}

// Extend offers extensions and runs the chosen one on each file.
func (g *Manage) Extend(files []api.File) tea.Cmd {
	what := FilesLabel(files)
	ChooseExtension(g.Over, "Run an extension on "+text.Safe(what), func(e api.Extension) tea.Cmd {
		work := Work{"Requesting " + e.Name, "Requested " + e.Name + " for " + what + ". Screen 3 shows its progress.", files, func(ctx context.Context, report func(session.Edited)) []session.Edited {
			return g.Session.ExtendAll(ctx, files, []api.Extension{e}, report)
		}}
		return page.Send(page.Ask{
			Title: "Run " + e.Name + " on " + what + "?",
			Text:  "Extensions change the files or their records, and may cost units of your account. Undo does not take it back.",
			Choices: []page.Choice{
				{Label: "Cancel", Key: "k"},
				{Label: "Run it", Key: "r", Danger: true, Do: func() tea.Cmd { return g.Run(work) }},
			},
		})
	})
	return nil
}

// askTags asks for tags that every file gets or loses.
func (g *Manage) askTags(files []api.File, add bool) tea.Cmd {
	what := FilesLabel(files)
	title, work, known := "Add tags to "+what, Work{Label: "Adding tags", Done: "Added tags to " + what + ". z undoes it.", Files: files}, g.Tags
	if !add {
		title, work.Label, work.Done = "Remove tags from "+what, "Removing tags", "Removed tags from "+what+". z undoes it."
		known = tagsOf(files)
	}
	p := kit.NewPrompt(title, "", "", "sea, boat")
	if !add {
		p.Text = "Tags: " + tagCounts(files, known)
	}
	p.Verb = "save"
	p.Complete = func(typed string) []string {
		at := strings.LastIndexByte(typed, ',') + 1
		word := strings.TrimLeft(typed[at:], " ")
		if word == "" {
			return nil
		}
		before := typed[:len(typed)-len(word)]
		var offers []string
		for _, tag := range Matches(word, known) {
			if tag != word {
				offers = append(offers, before+tag)
			}
		}
		return offers
	}
	p.Check = func(text string) string {
		tags := api.SplitTags(text)
		if len(tags) == 0 {
			return "Type tags, separated by commas."
		}
		return ""
	}
	p.Do = func(text string) tea.Cmd {
		tags := api.SplitTags(text)
		work.Do = func(ctx context.Context, report func(session.Edited)) []session.Edited {
			return g.Session.TagAll(ctx, files, func(have []string) []string {
				rest := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return slices.Contains(have, tag) })
				if add {
					return append(slices.Clone(have), rest...)
				}
				return slices.DeleteFunc(slices.Clone(have), func(tag string) bool { return slices.Contains(tags, tag) })
			}, report)
		}
		return g.Run(work)
	}
	g.Over.Open(p)
	return nil
}

// tagsOf are the tags of files, in the order in which they come.
func tagsOf(files []api.File) []string {
	var tags []string
	seen := map[string]bool{}
	for _, f := range files {
		for _, tag := range f.Tags.Or(nil) {
			if !seen[tag] {
				seen[tag] = true
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// tagCounts lists tags with how many of the files have each.
func tagCounts(files []api.File, tags []string) string {
	counts := map[string]int{}
	for _, f := range files {
		for _, tag := range f.Tags.Or(nil) {
			counts[tag]++
		}
	}
	list := make([]string, len(tags))
	for i, tag := range tags {
		list[i] = fmt.Sprintf("%s (%d of %d)", tag, counts[tag], len(files))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// askFolder asks for a folder of the library.
func (g *Manage) askFolder(title, verb string, do func(folder string) tea.Cmd) tea.Cmd {
	g.Over.Open(FolderPrompt(title, "A file of the same name there gets a new version, and undo cannot separate them. Missing folders are created.", verb, g.Folders, do))
	return nil
}

// FolderPrompt asks for a folder of the library; known folders are offered. do gets it
// in the form "/a/b/".
func FolderPrompt(title, words, verb string, known []string, do func(folder string) tea.Cmd) *kit.Prompt {
	p := kit.NewPrompt(title, words, "/", "")
	p.Verb = verb
	p.Complete = func(typed string) []string {
		if strings.Trim(typed, "/ ") == "" {
			return known
		}
		return slices.DeleteFunc(Matches(typed, known), func(folder string) bool { return folder == typed })
	}
	p.Check = func(text string) string {
		if _, err := api.CleanFolder(strings.TrimSpace(text)); err != nil {
			return page.Explain(err)
		}
		return ""
	}
	p.Do = func(text string) tea.Cmd {
		folder, err := api.CleanFolder(strings.TrimSpace(text))
		if err != nil {
			return nil // the prompt takes no such text
		}
		return do(folder)
	}
	return p
}

// askRename asks for the name of one file, or for a pattern of the names of several.
func (g *Manage) askRename(files []api.File) tea.Cmd {
	words, value := "Its URL changes with its name: links to the old one stop working. z undoes it.", files[0].Name
	if len(files) > 1 {
		words = "Fields: {name} {ext} {n} {n:03}. URLs change with the names: links to the old ones stop working. z undoes it."
		value = "{name}{ext}"
	}
	p := kit.NewPrompt("Rename "+FilesLabel(files), words, value, "")
	p.Verb = "rename"
	p.Check = func(text string) string {
		_, _, wrong := newNames(files, text)
		return wrong
	}
	p.Do = func(text string) tea.Cmd {
		changed, names, _ := newNames(files, text)
		done := "Renamed " + FilesLabel(changed) + ". z undoes it."
		if len(changed) == 1 {
			done = "Renamed " + changed[0].Name + " to " + api.StoredName(names[0]) + ". z undoes it."
		}
		return g.Run(Work{"Renaming", done, changed, func(ctx context.Context, report func(session.Edited)) []session.Edited {
			return g.Session.RenameAll(ctx, changed, names, report)
		}})
	}
	g.Over.Open(p)
	return nil
}

var numberField = regexp.MustCompile(`\{n(?::([0-9]{1,2}))?\}`)

// newNames are the files that a pattern renames and their new names, or what is wrong.
func newNames(files []api.File, pattern string) (changed []api.File, names []string, wrong string) {
	taken := map[string]bool{}
	for i, f := range files {
		name := strings.TrimSpace(pattern)
		if len(files) > 1 {
			ext := path.Ext(f.Name)
			name = numberField.ReplaceAllStringFunc(name, func(field string) string {
				width, err := strconv.Atoi(numberField.FindStringSubmatch(field)[1])
				if err != nil {
					width = 1 // no width is given
				}
				return fmt.Sprintf("%0*d", width, i+1)
			})
			name = strings.NewReplacer("{name}", strings.TrimSuffix(f.Name, ext), "{ext}", ext).Replace(name)
		}
		if err := api.CheckName(name); err != nil {
			return nil, nil, page.Explain(err)
		}
		to := path.Dir(f.FilePath) + "/" + api.StoredName(name)
		if taken[to] {
			return nil, nil, "Several files get the name " + api.StoredName(name) + ". Add {n} or {name}."
		}
		taken[to] = true
		if api.StoredName(name) != f.Name {
			changed, names = append(changed, f), append(names, name)
		}
	}
	if len(changed) == 0 {
		return nil, nil, "That changes no name."
	}
	return changed, names, ""
}

// AskConflict asks what to do if others have changed the same since; again undoes or
// redoes it (verb) with the chosen policy.
func AskConflict(verb string, found *session.ConflictError, again func(session.Policy) tea.Cmd) tea.Cmd {
	var lines []string
	for i, c := range found.Conflicts {
		if i == maxNamed {
			lines = append(lines, fmt.Sprintf("and %d more", len(found.Conflicts)-i))
			break
		}
		value := func(text string) string {
			if text == "" {
				return "not set"
			}
			return text
		}
		lines = append(lines, fmt.Sprintf("%s: %s was %s and is %s now", c.Name, c.Field, value(c.Left), value(c.Now)))
	}
	verb = text.Capital(verb)
	with := func(policy session.Policy) func() tea.Cmd { return func() tea.Cmd { return again(policy) } }
	return page.Send(page.Ask{
		Title: "Changed by others since",
		Text:  strings.Join(lines, "\n"),
		Choices: []page.Choice{
			{Label: "Cancel", Key: "l"},
			{Label: verb + " the rest", Key: "t", Do: with(session.Theirs)},
			{Label: verb + " everything", Key: "u", Danger: true, Do: with(session.Ours)},
		},
	})
}

package upload

import (
	"context"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
)

type (
	// folderTagsMsg has the tags that are used in a folder.
	folderTagsMsg struct {
		folder string
		tags   []string
	}
	// foldersInMsg has the folders in a folder.
	foldersInMsg []string
)

// completeTags offers the tags that are used in the form's folder before all
// others, both by how often they are used.
func (m *Model) completeTags(typed string) []string {
	return edit.Matches(typed, m.folderTags[m.formFolder()], m.tags)
}

// formFolder is the folder of the first target.
func (m *Model) formFolder() string {
	targets := m.targets()
	if len(targets) == 0 {
		return "/"
	}
	return targets[0].folder()
}

// wantFolderTags asks for the tags of the form's folder while tags are typed.
func (m *Model) wantFolderTags() tea.Cmd {
	i := m.focused()
	if i == nil || i.field != fieldTags {
		return nil
	}
	folder := m.formFolder()
	if _, asked := m.folderTags[folder]; asked {
		return nil
	}
	m.folderTags[folder] = nil
	ctx, ask := m.o.Context, m.o.Session.TagsIn
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		// Offers are a help only, so errors are ignored.
		tags, _ := ask(ctx, folder)
		return folderTagsMsg{folder, tags}
	}
}

// wantFoldersIn asks the library for the folders in the one that is typed.
func (m *Model) wantFoldersIn() tea.Cmd {
	i := m.focused()
	if i == nil || i.field != fieldFolder {
		return nil
	}
	typed := i.text.Value()
	if !strings.HasSuffix(typed, "/") {
		typed = path.Dir(typed)
	}
	parent, err := api.CleanFolder(strings.TrimPrefix(typed, "."))
	if err != nil || m.foldersIn[parent] {
		return nil
	}
	m.foldersIn[parent] = true
	ctx, ask := m.o.Context, m.o.Session.FoldersIn
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		folders, _ := ask(ctx, parent)
		return foldersInMsg(folders)
	}
}

func (m *Model) gotFoldersIn(msg foldersInMsg) {
	if len(msg) == 0 {
		return
	}
	m.addFolders(msg)
	if i := m.focused(); i != nil && i.field == fieldFolder && i.value() != "" && len(m.offer) == 0 && m.touched {
		m.offerFolders()
	}
}

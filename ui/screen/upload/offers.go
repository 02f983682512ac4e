package upload

import (
	"context"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

// completeTags suggests the tags of the form's folder first, then all others, both by frequency.
func (m *Model) completeTags(typed string) []string {
	return edit.Matches(typed, m.folderTags[m.formFolder()], m.tags)
}

// formFolder returns the folder of the first target.
func (m *Model) formFolder() string {
	targets := m.targets()
	if len(targets) == 0 {
		return "/"
	}
	return targets[0].folder()
}

// wantFolderTags loads the tags of the form's folder while the user types tags.
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
	ask := m.o.Session.TagsIn
	return page.Within(m.o.Context, patience, func(ctx context.Context) tea.Msg {
		// Suggestions are optional, so errors are ignored.
		tags, _ := ask(ctx, folder)
		return page.Do(func() { m.folderTags[folder] = tags })
	})
}

// wantFoldersIn loads the subfolders of the typed folder.
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
	ask := m.o.Session.FoldersIn
	return page.Within(m.o.Context, patience, func(ctx context.Context) tea.Msg {
		folders, _ := ask(ctx, parent)
		return page.Do(func() { m.gotFoldersIn(folders) })
	})
}

func (m *Model) gotFoldersIn(folders []string) {
	if len(folders) == 0 {
		return
	}
	m.addFolders(folders)
	if i := m.focused(); i != nil && i.field == fieldFolder && i.value() != "" && len(i.text.Offers()) == 0 && m.touched {
		i.text.Refresh()
	}
}

// askExtension loads the offers of the account and opens the menu.
func (m *Model) askExtension() tea.Cmd {
	lister, ok := m.o.Session.(edit.Offerer)
	if !ok {
		m.chooseExtension(edit.Offers{})
		return nil
	}
	ctx := m.o.Context
	return func() tea.Msg {
		offers := edit.ReadOffers(ctx, lister)
		return page.Do(func() { m.chooseExtension(offers) })
	}
}

// chooseExtension opens a menu of extensions. The chosen one replaces an extension of the same name in the targets.
func (m *Model) chooseExtension(offers edit.Offers) {
	m.adopt()
	edit.ChooseExtension(m.Overlays(), "Add an extension", offers, func(e api.Extension) tea.Cmd {
		e = api.NameSaved(e, offers.Saved)
		for _, s := range m.targets() {
			list := slices.DeleteFunc(slices.Clone(s.entry.Extensions.Or(nil)), func(other api.Extension) bool { return api.CheckExtensions([]api.Extension{other, e}) != nil })
			s.entry.Extensions = api.Set(append(list, e))
			s.checked, s.failed = nil, nil
		}
		m.note()
		m.load()
		return nil
	})
}

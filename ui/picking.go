package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/picker"
)

// watchTime is how often the folder shown is looked at for changes, and sentKept
// how many of the newest uploads are known to the picker.
const (
	watchTime = 2 * time.Second
	sentKept  = 20_000
)

// startPicker makes the picker, which outlives the session, and begins to read its
// folder; nil where it does already. It is read while the session opens.
func (m *Model) startPicker() tea.Cmd {
	if m.picker == nil {
		m.picker = picker.New(picker.Options{
			Folder: m.o.Folder, Samples: m.o.First && m.o.Folder == "" && len(m.o.Sources) == 0, Sources: m.o.Sources, Preview: true, Loader: m.loader, Now: m.o.Now,
			Folders: folders{m}, Watch: watchTime,
			Clipboard: func(ctx context.Context) (api.Source, error) {
				return session.ClipboardPicture(ctx, m.o.Paths.Spool(), m.o.Now())
			},
		})
	}
	if m.host.Screen(page.Picker) != nil {
		return nil
	}
	return m.greet(page.Picker, m.picker)
}

// informPicker tells the picker of the library in use.
func (m *Model) informPicker() {
	d, ctx := m.session, m.ctx
	m.picker.UseLibrary(func() ([]api.Job, error) {
		return d.Jobs(ctx, session.JobFilter{Limit: sentKept})
	})
}

// folders are those that the picker offers, see [picker.Folders].
type folders struct{ m *Model }

// Bookmarks are the folders in the settings file.
func (f folders) Bookmarks() ([]string, error) {
	c, err := config.Load(f.m.o.Paths)
	if err != nil {
		return nil, err
	}
	return c.BookmarkFolders(), nil
}

func (f folders) SetBookmarks(list []string) error {
	c, err := config.Load(f.m.o.Paths)
	if err != nil {
		return err
	}
	want := c.Choices
	want.Bookmarks = short(list)
	_, err = c.Set(want)
	return err
}

// Earlier are the folders that earlier runs showed, newest first.
func (f folders) Earlier() ([]string, error) { return f.m.earlierFolders() }

// Samples writes the sample pictures.
func (f folders) Samples() (string, error) {
	if f.m.o.Samples == nil {
		return "", errors.New("there are no sample pictures")
	}
	return f.m.o.Samples()
}

// short writes the home folder as the person would.
func short(folders []string) []string {
	home, err := os.UserHomeDir()
	if err != nil || home == "/" {
		return folders
	}
	out := make([]string, len(folders))
	for i, f := range folders {
		out[i] = f
		if rest, under := strings.CutPrefix(f, home+string(filepath.Separator)); under {
			out[i] = "~/" + filepath.ToSlash(rest)
		}
	}
	return out
}

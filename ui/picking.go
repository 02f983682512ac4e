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

// watchTime is the interval for checking the picker's folder. sentKept limits the uploads that the picker knows.
const (
	watchTime = 2 * time.Second
	sentKept  = 20_000
)

// startPicker creates the picker, which outlives the session, and starts reading its folder while the session opens. It returns
// nil if the picker already exists.
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
	return m.addScreen(page.Picker, m.picker)
}

// folders implements [picker.Folders].
type folders struct{ m *Model }

// Bookmarks returns the folders in the settings file.
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

// Earlier returns the folders of earlier runs, newest first.
func (f folders) Earlier() ([]string, error) {
	c, err := config.Load(f.m.o.Paths)
	return c.Folders, err
}

// Samples writes the sample pictures.
func (f folders) Samples() (string, error) {
	if f.m.o.Samples == nil {
		return "", errors.New("there are no sample pictures")
	}
	return f.m.o.Samples()
}

// short abbreviates the home folder as ~.
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

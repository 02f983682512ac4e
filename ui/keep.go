package ui

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/screen/upload"
)

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

// saver returns a function that saves the screens' content, or nil.
func (m *Model) saver() func(context.Context) error {
	if k, ok := m.host.Screen(page.Form).(*upload.Model); ok {
		return k.Keep()
	}
	return nil
}

// Keep saves unsent input and the shown folders. Call it after the program has ended and before closing its session.
func (m *Model) Keep(ctx context.Context) error {
	if m.session == nil {
		return nil
	}
	if m.picker != nil && m.o.Paths.Data != "" {
		c, err := config.Load(m.o.Paths)
		if err == nil {
			_, err = c.SetFolders(func(earlier []string) []string { return picker.Recent(m.picker.Shown(), earlier) })
		}
		if err != nil {
			slog.Warn("the recent folders are not kept", "err", err)
		}
	}
	if keep := m.saver(); keep != nil {
		return keep(ctx)
	}
	return nil
}

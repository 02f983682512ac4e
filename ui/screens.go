package ui

import (
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/screen/extensions"
	"mediadesk/ui/screen/library"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/screen/settings"
	"mediadesk/ui/screen/upload"
	"mediadesk/ui/screen/uploads"
)

// screen describes a screen with actions.
type screen struct {
	id         page.ID
	key, title string
	tip        string // shown at the first visit
	missing    string // why there is no such screen yet
	blank      func() page.Screen
}

// screens are the screens with a tab, in their order, and those without one.
var screens = []screen{
	{page.Picker, "picker", "Pick", "Press space to pick, u for the upload form, ctrl+s to send.", "", func() page.Screen {
		return picker.New(picker.Options{})
	}},
	{page.Uploads, "uploads", "Uploads", "Stored means: the service confirmed it. Press y to copy the URL.", "", func() page.Screen {
		return uploads.New(uploads.Options{})
	}},
	{page.Extensions, "extensions", "Extensions", "Each row shows where its status comes from. Press enter for its history.", "", func() page.Screen {
		return extensions.New(extensions.Options{})
	}},
	{page.Library, "library", "Library", "Press enter to edit tags and region, / to filter, y to copy the URL.", "", func() page.Screen {
		return library.New(library.Options{})
	}},
	{page.Settings, "settings", "Settings", "Press E to edit config.toml. It overrides your choices on this screen.", "", func() page.Screen {
		return settings.New(settings.Options{})
	}},
	{page.Form, "form", "Upload form", "Type tags, tab goes on, enter opens a value, ctrl+s sends.", "pick files and press u first", func() page.Screen {
		return upload.New(upload.Options{Sources: []api.Source{{Path: "x"}}})
	}},
	{page.Details, "details", "Details", "Press ctrl+s to save, z to undo the last save, even after a restart.", "open a file in the library first", func() page.Screen {
		return details.New(details.Options{Files: []api.File{{}}})
	}},
}

// tabs are the screens of the top line.
var tabs = screens[:len(page.Tabs)]

// screenOf returns the description of a screen, or an empty one.
func screenOf(id page.ID) screen {
	for _, s := range screens {
		if s.id == id {
			return s
		}
	}
	return screen{}
}

// tabScreens returns the session's tab screens without the picker, which outlives a session, because the tray belongs to the user
// and not to a profile.
func (m *Model) tabScreens() map[page.ID]page.Screen {
	d, ctx := m.session, m.ctx
	m.picker.UseLibrary(func() ([]api.Job, error) { return d.Jobs(ctx, session.JobFilter{Limit: sentKept}) })
	return map[page.ID]page.Screen{
		page.Uploads:    uploads.New(uploads.Options{Context: m.ctx, Session: d, Profile: d.Profile, Now: m.o.Now}),
		page.Extensions: extensions.New(extensions.Options{Context: m.ctx, Images: m.images, Session: d, Watch: d.Watch, Profile: d.Profile, Now: m.o.Now}),
		page.Library: library.New(library.Options{
			Context: m.ctx, Session: d, Loader: m.loader, Downloads: m.downloads(), Profile: d.Profile, Now: m.o.Now,
		}),
		page.Settings: settings.New(settings.Options{
			Context: m.ctx, Paths: m.o.Paths, Keys: m.o.Keys, TryKey: session.TryKey, Getenv: m.o.Getenv, Profile: d.Profile, Version: m.o.Version, Now: m.o.Now,
			Session: d, ReceiverAddr: d.Watch.Addr(),
		}),
	}
}

// compose brings the upload form to the front with these sources. An existing form keeps the input for sources that it knows.
func (m *Model) compose(msg page.Compose) tea.Cmd {
	if m.session == nil {
		return nil
	}
	form := m.host.Screen(page.Form)
	ok := form != nil
	var begin tea.Cmd
	if !ok {
		form = m.newForm(msg.Sources, nil)
		begin = m.addScreen(page.Form, form)
	}
	if len(msg.Jobs) > 0 {
		// The tray must match the form.
		var sources []api.Source
		for i := range msg.Jobs {
			sources = append(sources, msg.Jobs[i].Upload.Source)
		}
		begin = tea.Batch(begin, page.Send(page.Add{Sources: sources}))
	}
	if ok || len(msg.Jobs) > 0 {
		begin = tea.Batch(begin, m.host.Tell(form, msg))
	}
	return tea.Batch(begin, m.show(page.Form, true))
}

// inspect brings the details of files to the front. An existing screen keeps its unsaved changes.
func (m *Model) inspect(msg page.Inspect) tea.Cmd {
	if m.session == nil || len(msg.Files) == 0 {
		return nil
	}
	if s := m.host.Screen(page.Details); s != nil {
		return tea.Batch(m.host.Tell(s, msg), m.show(page.Details, true))
	}
	d := m.session
	s := details.New(details.Options{
		Context: m.ctx, Files: msg.Files, Session: d, Profile: d.Profile, Getenv: m.o.Getenv, Images: m.images, Loader: m.loader, Now: m.o.Now,
	})
	return tea.Batch(m.addScreen(page.Details, s), m.show(page.Details, true))
}

// downloads returns the default download folder: the user's own if it exists, or else the working directory.
func (m *Model) downloads() string {
	for _, dir := range []string{m.o.Getenv("XDG_DOWNLOAD_DIR"), filepath.Join(m.o.Getenv("HOME"), "Downloads")} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			return dir
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

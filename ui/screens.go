package ui

import (
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/screen/extensions"
	"mediadesk/ui/screen/library"
	"mediadesk/ui/screen/onboarding"
	"mediadesk/ui/screen/settings"
	"mediadesk/ui/screen/uploads"
)

// tabScreens returns the session's tab screens without the picker, which outlives a session, because the tray belongs to the user
// and not to a profile.
func (m *Model) tabScreens() map[page.ID]page.Screen {
	d := m.session
	m.informPicker()
	return map[page.ID]page.Screen{
		page.Uploads:    uploads.New(uploads.Options{Context: m.ctx, Session: d, Queue: d.Queue, Profile: d.Profile, Now: m.o.Now}),
		page.Extensions: extensions.New(extensions.Options{Context: m.ctx, Images: m.images, Session: d, Watch: d.Watch, Profile: d.Profile, Now: m.o.Now}),
		page.Library: library.New(library.Options{
			Context: m.ctx, Session: d, Loader: m.loader, Downloads: m.downloads(), Profile: d.Profile, Now: m.o.Now,
		}),
		page.Settings: settings.New(settings.Options{
			Context: m.ctx, Paths: m.o.Paths, Keys: m.o.Keys, Getenv: m.o.Getenv, Profile: d.Profile, Version: m.o.Version, Now: m.o.Now,
			Session: d, ReceiverAddr: d.Watch.Addr(),
		}),
	}
}

// onboarding returns the screen for a first start (problem is nil) or for a profile that could not be opened.
func (m *Model) onboarding(profile string, problem error) page.Screen {
	return onboarding.New(onboarding.Options{
		Context: m.ctx, Paths: m.o.Paths, Keys: m.o.Keys, Getenv: m.o.Getenv, Problem: problem, Profile: profile,
	})
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
		begin = m.greet(page.Form, form)
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
		Context: m.ctx, Files: msg.Files, Session: d, Profile: d.Profile, Getenv: m.o.Getenv, Images: m.images, Now: m.o.Now,
	})
	return tea.Batch(m.greet(page.Details, s), m.show(page.Details, true))
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

package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/screen/extensions"
	"mediadesk/ui/screen/library"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/screen/settings"
	"mediadesk/ui/screen/upload"
	"mediadesk/ui/screen/uploads"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

type screen struct {
	page.ID
	tip string // shown once, at the first visit; empty where the status says what comes next
	// missing says how to open such a screen; empty if it has a tab.
	missing string
	open    func(m *Model) page.Screen
	badges  func(m *Model) []kit.Cell // of the tab; may be nil
}

// screens has a row for every screen of a session. Tabs, keys, palette, tips and badges are loops
// over it.
var screens = []screen{
	{ID: page.Picker, tip: "Press v to pick a range, ctrl+a for all, t to see pictures side by side.", open: (*Model).openPicker},
	{
		ID: page.Uploads, tip: "Stored means: the service confirmed it. On a file, y copies its URL.",
		open: func(m *Model) page.Screen {
			return uploads.New(uploads.Options{
				Context: m.ctx, Loader: m.loader, Session: m.session,
				Profile: m.session.Profile, Now: m.o.Now,
			})
		},
		badges: func(m *Model) []kit.Cell {
			return []kit.Cell{
				badge(m.uploading.Open, m.theme.Glyph(theme.SignWait), m.theme.Tab),
				badge(m.uploading.Failed, m.theme.Glyph(theme.SignBad), m.theme.Bad),
			}
		},
	},
	{
		ID: page.Extensions, tip: "Press x on files in the library to run an extension on them.",
		open: func(m *Model) page.Screen {
			return extensions.New(extensions.Options{
				Context: m.ctx, Loader: m.loader, Session: m.session,
				Watch: m.session.Watch, Profile: m.session.Profile, Now: m.o.Now,
			})
		},
		badges: func(m *Model) []kit.Cell {
			return []kit.Cell{badge(m.runs.pending, m.theme.Glyph(theme.SignPartly), m.theme.Tab)}
		},
	},
	{
		ID: page.Library, tip: "Press space to mark files and e to edit all of them at once.",
		open: func(m *Model) page.Screen {
			return library.New(library.Options{
				Context: m.ctx, Session: m.session, Loader: m.loader, Downloads: m.downloads(),
				Profile: m.session.Profile, Now: m.o.Now,
			})
		},
		badges: func(m *Model) []kit.Cell {
			n := 0
			if d, ok := m.host.Screen(page.Details).(*details.Model); ok && m.host.Front() != page.Details {
				n = d.Changed()
			}
			return []kit.Cell{badge(n, m.theme.Glyph(theme.SignChanged), m.theme.Warn)}
		},
	},
	{
		ID: page.Settings, tip: "Press down, then ←/→ to change a preference. E edits config.toml.",
		open: func(m *Model) page.Screen {
			return settings.New(settings.Options{
				Context: m.ctx, Paths: m.o.Paths, Keys: m.o.Keys, TryKey: session.TryKey, Getenv: m.o.Getenv,
				Loader: m.loader, Profile: m.session.Profile, Now: m.o.Now,
			})
		},
	},
	{
		ID: page.Form, missing: "pick files and press u first",
		open: func(m *Model) page.Screen { return upload.New(m.formOptions()) },
	},
	{
		ID: page.Details, tip: "Press z to undo the last save, even after a restart.", missing: "open a file in the library first",
		open: func(m *Model) page.Screen { return m.detailsOf([]api.File{{}}) },
	},
}

func screenOf(id page.ID) screen {
	if i := slices.IndexFunc(screens, func(s screen) bool { return s.ID == id }); i >= 0 {
		return screens[i]
	}
	return screen{}
}

const watchInterval = 2 * time.Second // between checks of the picker's folder

// openPicker returns the picker. It outlives a session, because the tray belongs to the user and
// not to a profile.
func (m *Model) openPicker() page.Screen {
	if m.picker == nil {
		var samples func() (string, error)
		if m.o.First && m.o.Folder == "" && len(m.o.Sources) == 0 {
			samples = m.o.Samples
		}
		m.picker = picker.New(picker.Options{
			Folder: m.o.Folder, Samples: samples,
			Sources: m.o.Sources, Preview: true, Loader: m.loader, Now: m.o.Now, WatchInterval: watchInterval,
			Clipboard: func(ctx context.Context) (api.Source, error) {
				return session.ClipboardPicture(ctx, m.o.Paths.Spool(), m.o.Now())
			},
		})
	}
	return m.picker
}

// begin adds a screen, starts it and tells it about the terminal.
func (m *Model) begin(id page.ID, s page.Screen) tea.Cmd {
	return tea.Batch(
		m.host.Add(id, s),
		m.host.Tell(s, tea.WindowSizeMsg{Width: m.size.X, Height: m.size.Y}),
		m.host.Tell(s, m.profile),
		m.host.Tell(s, m.abilities),
	)
}

// compose brings the upload form to the front with these sources. Those of jobs go into the tray,
// too. An open form keeps the input for sources that it knows.
func (m *Model) compose(msg page.Compose) tea.Cmd {
	var cmds []tea.Cmd
	if len(msg.Jobs) > 0 {
		sources := rule.Mapped(msg.Jobs, func(j job.Job) api.Source { return j.Upload.Source })
		cmds = append(cmds, page.Send(page.Add{Sources: sources}))
	}
	if m.host.Screen(page.Form) == nil {
		cmds = append(cmds, m.begin(page.Form, upload.New(m.formOptions())))
	}
	return tea.Batch(append(cmds, m.host.Tell(m.host.Screen(page.Form), msg), m.show(page.Form, true))...)
}

// inspect brings the details of files to the front. An open screen keeps its unsaved changes.
func (m *Model) inspect(msg page.Inspect) tea.Cmd {
	var begun tea.Cmd
	if m.host.Screen(page.Details) == nil {
		begun = m.begin(page.Details, m.detailsOf(msg.Files))
	}
	return tea.Batch(begun, m.host.Tell(m.host.Screen(page.Details), msg), m.show(page.Details, true))
}

func (m *Model) detailsOf(files []api.File) page.Screen {
	return details.New(details.Options{
		Context: m.ctx, Files: files, Session: m.session, Profile: m.session.Profile, Getenv: m.o.Getenv,
		Loader: m.loader, Now: m.o.Now,
	})
}

func (m *Model) formOptions() upload.Options {
	return upload.Options{
		Context: m.ctx, Session: m.session, Profile: m.session.Profile, Getenv: m.o.Getenv, Now: m.o.Now,
		Loader: m.loader,
	}
}

// findDraft restores an unsent form of an earlier run and puts its sources into the tray. An open
// form is newer and takes precedence.
func (m *Model) findDraft() tea.Cmd {
	ctx, d := m.ctx, m.session
	return func() tea.Msg {
		draft, _, err := d.Journal.Draft(ctx, d.Profile.Name)
		return m.then(d, func() tea.Cmd {
			if m.host.Screen(page.Form) != nil || len(draft) == 0 && err == nil {
				return nil
			}
			sources, wrong := upload.DraftSources(draft, d.Profile.Folder)
			if err = errors.Join(err, wrong); err != nil {
				return page.Send(page.Problem(err))
			}
			o := m.formOptions()
			o.Draft = draft
			return tea.Batch(
				m.begin(page.Form, upload.New(o)),
				page.Send(page.Add{Sources: sources}),
				page.Tell(page.Info, "Back from last time: "+text.Plural(len(sources), "file")+" not sent yet. Press u to go on."),
			)
		})
	}
}

// downloads returns the default download folder: the user's own if it exists, or else the working
// directory.
func (m *Model) downloads() string {
	usual := filepath.Join(m.o.Getenv("HOME"), "Downloads")
	for _, dir := range []string{m.o.Getenv("XDG_DOWNLOAD_DIR"), usual} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			return dir
		}
	}
	dir, _ := os.Getwd() // empty if the system cannot tell
	return dir
}

// saver returns a function that saves the screens' content, or nil.
func (m *Model) saver() func(context.Context) error {
	p, ok := m.host.Screen(page.Picker).(*picker.Model)
	if !ok || m.session == nil {
		return nil
	}
	form, open := m.host.Screen(page.Form).(*upload.Model)
	picked := p.Picked()
	if !open && len(picked) > 0 {
		form = upload.New(m.formOptions())
	}
	if form == nil {
		return nil
	}
	return form.Keep(picked)
}

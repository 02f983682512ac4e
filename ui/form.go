package ui

import (
	"context"
	"errors"
	"log/slog"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/screen/upload"
	"mediadesk/ui/text"
)

// newForm returns the upload form for sources, or for a draft.
func (m *Model) newForm(sources []api.Source, draft []byte) page.Screen {
	d := m.session
	return upload.New(upload.Options{
		Context: m.ctx, Session: d, Sources: sources, Profile: d.Profile, Draft: draft,
		Getenv: m.o.Getenv, Now: m.o.Now, Images: m.images, Loader: m.loader,
	})
}

// findDraft looks for an unsent form of an earlier run.
func (m *Model) findDraft() tea.Cmd {
	ctx, d := m.ctx, m.session
	return func() tea.Msg {
		draft, _, err := d.Journal.Draft(ctx, d.Profile.Name)
		return m.then(d, func() tea.Cmd { return m.draftBack(draft, err) })
	}
}

// draftBack restores an unsent form and puts its sources into the tray. An open form is newer and takes precedence.
func (m *Model) draftBack(draft []byte, err error) tea.Cmd {
	if m.host.Screen(page.Form) != nil || len(draft) == 0 && err == nil {
		return nil
	}
	sources, wrong := upload.DraftSources(draft)
	if err = errors.Join(err, wrong); err != nil {
		return page.Send(page.Problem(err))
	}
	form := m.newForm(nil, draft)
	return tea.Batch(
		m.addScreen(page.Form, form),
		page.Send(page.Add{Sources: sources}),
		page.Send(page.Toast{Level: page.Info, Text: "The upload form of last time is back: " + text.Plural(len(sources), "file") + " not sent yet. Press u to go on."}),
	)
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

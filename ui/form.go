package ui

import (
	"context"
	"errors"
	"log/slog"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
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

// draftFound carries an unsent form.
type draftFound struct {
	session *session.Session
	text    []byte
	err     error
}

// findDraft looks for an unsent form of an earlier run.
func findDraft(ctx context.Context, d *session.Session) tea.Cmd {
	return func() tea.Msg {
		text, err := d.Draft(ctx)
		return draftFound{d, text, err}
	}
}

// draftBack restores an unsent form and puts its sources into the tray. An open form is newer and takes precedence.
func (m *Model) draftBack(msg draftFound) tea.Cmd {
	if msg.session != m.session || m.host.Screen(page.Form) != nil || len(msg.text) == 0 && msg.err == nil {
		return nil
	}
	sources, err := upload.DraftSources(msg.text)
	if err = errors.Join(msg.err, err); err != nil {
		return page.Send(page.Problem(err))
	}
	form := m.newForm(nil, msg.text)
	return tea.Batch(
		m.greet(page.Form, form),
		page.Send(page.Add{Sources: sources}),
		page.Send(page.Toast{Level: page.Info, Text: "The upload form of last time is back: " + text.Plural(len(sources), "file") + " not sent yet. Press u to go on."}),
	)
}

// keeper is a screen that saves its content on exit, when commands no longer run.
type keeper interface {
	Keep() func(context.Context) error
}

// keep returns a function that saves the screens' content, or nil.
func (m *Model) keep() func(context.Context) error {
	if k, ok := m.host.Screen(page.Form).(keeper); ok {
		return k.Keep()
	}
	return nil
}

// Keep saves unsent input and the shown folders. Call it after the program has ended and before closing its session.
func (m *Model) Keep(ctx context.Context) error {
	if m.session == nil {
		return nil
	}
	if err := m.keepFolders(); err != nil {
		slog.Warn("the recent folders are not kept", "err", err)
	}
	if keep := m.keep(); keep != nil {
		return keep(ctx)
	}
	return nil
}

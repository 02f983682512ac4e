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

// newForm builds the upload form for sources, or with a draft for those in it.
func (m *Model) newForm(sources []api.Source, draft []byte) page.Screen {
	d := m.session
	return upload.New(upload.Options{
		Context: m.ctx, Session: d, Sources: sources, Profile: d.Profile, Draft: draft,
		Getenv: m.o.Getenv, Now: m.o.Now, Images: m.images, Loader: m.loader,
	})
}

// draftFound has the form that was not sent when the session was closed.
type draftFound struct {
	session *session.Session
	text    []byte
	err     error
}

// findDraft looks for a form that was not sent last time.
func findDraft(ctx context.Context, d *session.Session) tea.Cmd {
	return func() tea.Msg {
		text, err := d.Draft(ctx)
		return draftFound{d, text, err}
	}
}

// draftBack brings a form of last time back, and its sources into the tray. A
// form that is there already is newer.
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

// keeper is a screen that has something to keep when no command runs any more.
type keeper interface {
	Keep() func(context.Context) error
}

// keep takes what the screens want to keep, and returns what keeps it; nil for
// nothing.
func (m *Model) keep() func(context.Context) error {
	if k, ok := m.host.Screen(page.Form).(keeper); ok {
		return k.Keep()
	}
	return nil
}

// Keep keeps what was typed and not sent, and which folders were shown. Call it
// when the program has ended, before its session is closed.
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

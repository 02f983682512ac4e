package ui

import (
	"context"
	"log/slog"

	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/screen/upload"
)

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

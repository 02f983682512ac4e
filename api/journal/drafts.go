package journal

import (
	"context"
	"errors"
	"time"
)

// SaveDraft keeps what stands in the upload form of a profile, in whatever form
// the caller writes it, in the place of what was kept before. An empty body
// keeps nothing.
func (j *Journal) SaveDraft(ctx context.Context, profile string, body []byte) error {
	return j.change(ctx, func(t *tx) error {
		if len(body) == 0 {
			_, err := t.exec("DELETE FROM drafts WHERE profile = ?", profile)
			return err
		}
		_, err := t.exec("INSERT OR REPLACE INTO drafts (profile, body, at) VALUES (?, ?, ?)", profile, body, stamp(time.Now()))
		return err
	})
}

// Draft returns the last saved draft and its time; empty if none.
func (j *Journal) Draft(ctx context.Context, profile string) (body []byte, at time.Time, err error) {
	body, _, err = first(ctx, j, func(scan scan) (body []byte, err error) {
		err = scan(&body, when{&at})
		return body, err
	}, "SELECT body, at FROM drafts WHERE profile = ?", profile)
	return body, at, err
}

// Preset is a set of upload options under a name, in whatever form the caller
// writes it.
type Preset struct {
	Name string
	Body []byte
	At   time.Time // when it was saved
}

// SavePreset keeps a preset in the place of one with the same name. At counts
// for nothing.
func (j *Journal) SavePreset(ctx context.Context, p Preset) error {
	if p.Name == "" {
		return errors.New("a preset needs a name")
	}
	return j.change(ctx, func(t *tx) error {
		_, err := t.exec("INSERT OR REPLACE INTO presets (name, body, at) VALUES (?, ?, ?)", p.Name, p.Body, stamp(time.Now()))
		return err
	})
}

// RemovePreset removes a preset. A missing one is no error.
func (j *Journal) RemovePreset(ctx context.Context, name string) error {
	return j.change(ctx, func(t *tx) error {
		_, err := t.exec("DELETE FROM presets WHERE name = ?", name)
		return err
	})
}

// Presets are all presets, by name.
func (j *Journal) Presets(ctx context.Context) ([]Preset, error) {
	return list(ctx, j, func(scan scan) (p Preset, err error) {
		err = scan(&p.Name, &p.Body, when{&p.At})
		return p, err
	}, "SELECT name, body, at FROM presets ORDER BY name")
}

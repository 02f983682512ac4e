package journal

import (
	"context"
	"errors"
	"time"
)

// SaveDraft replaces the saved draft of a profile's upload form. The caller chooses the format. An
// empty body removes the draft.
func (j *Journal) SaveDraft(ctx context.Context, profile string, body []byte) error {
	if len(body) == 0 {
		return j.exec(ctx, "DELETE FROM drafts WHERE profile = ?", profile)
	}
	return j.exec(ctx, "INSERT OR REPLACE INTO drafts (profile, body, at) VALUES (?, ?, ?)", profile, body, stamp(time.Now()))
}

// Draft returns the last saved draft and its time; empty if none.
func (j *Journal) Draft(ctx context.Context, profile string) (body []byte, at time.Time, err error) {
	body, _, err = first(ctx, j, func(scan scan) (body []byte, err error) {
		err = scan(&body, when{&at})
		return body, err
	}, "SELECT body, at FROM drafts WHERE profile = ?", profile)
	return body, at, err
}

// Preset is a named set of upload options, in a format chosen by the caller.
type Preset struct {
	Name string
	Body []byte
	At   time.Time // when it was saved
}

// SavePreset saves a preset, replacing one of the same name. It ignores At.
func (j *Journal) SavePreset(ctx context.Context, p Preset) error {
	if p.Name == "" {
		return errors.New("a preset needs a name")
	}
	return j.exec(ctx, "INSERT OR REPLACE INTO presets (name, body, at) VALUES (?, ?, ?)", p.Name, p.Body, stamp(time.Now()))
}

// RemovePreset removes a preset. A missing one is not an error.
func (j *Journal) RemovePreset(ctx context.Context, name string) error {
	return j.exec(ctx, "DELETE FROM presets WHERE name = ?", name)
}

// Presets returns all presets, sorted by name.
func (j *Journal) Presets(ctx context.Context) ([]Preset, error) {
	return list(ctx, j, func(scan scan) (p Preset, err error) {
		err = scan(&p.Name, &p.Body, when{&p.At})
		return p, err
	}, "SELECT name, body, at FROM presets ORDER BY name")
}

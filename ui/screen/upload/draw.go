package upload

import (
	"context"
	"fmt"
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// region returns the source's region as text.
func (s *source) region(m *Model) string { return s.text(m.item(fieldRegion)) }

// newRegion returns the region editor, which also draws the region in the form.
func (m *Model) newRegion(o Options) *edit.Region {
	return edit.NewRegion(edit.RegionOptions{
		Context: o.Context, Draw: o.Picture, Images: o.Images,
		Text: func() string {
			if s := m.subject(); s != nil {
				return s.region(m)
			}
			return ""
		},
		Set: func(region string) {
			if m.drawing() {
				m.draw.set(region)
			}
		},
		Keep:     m.keepRegions,
		Files:    m.regionFiles,
		Overlays: m.Overlays(),
	})
}

// regionFiles returns the sources that can have a region.
func (m *Model) regionFiles() []edit.RegionFile {
	var files []edit.RegionFile
	for _, s := range m.sources {
		if of := subjectPicture(s); of.Path != nil && s.entry.Source.Path != "" {
			files = append(files, edit.RegionFile{Subject: of, Set: func(region string) {
				m.set(s, fieldRegion, region)
				m.load()
			}})
		}
	}
	return files
}

// keepRegions returns a function that restores the current regions of all sources.
func (m *Model) keepRegions() (restore func()) {
	was := map[*source]string{}
	for _, s := range m.sources {
		was[s] = s.region(m)
	}
	return func() {
		for s, region := range was {
			m.set(s, fieldRegion, region)
		}
		m.load()
	}
}

// showPicture loads the picture of the current source while its region is edited.
func (m *Model) showPicture() tea.Cmd {
	s, i := m.subject(), m.focused()
	if s == nil || !m.drawing() && (i == nil || i.section != sectionRegion) {
		return nil
	}
	return tea.Batch(m.region.Show(subjectPicture(s)), m.region.Follow())
}

// subjectPicture returns the source's picture for the region editor.
func subjectPicture(s *source) edit.Subject {
	if yes, _ := s.known.isPicture(); !yes {
		return edit.Subject{}
	}
	facts, path := &s.known.facts, s.entry.Source.Path
	return edit.Subject{
		Name: path, Size: facts.Stored, Orientation: facts.Orientation,
		Path: func(context.Context) (string, error) { return path, nil },
	}
}

// noDraw returns why the region cannot be drawn on the picture, or "".
func (m *Model) noDraw() string {
	s := m.subject()
	if s == nil {
		return emptyForm
	}
	yes, sure := s.known.isPicture()
	switch {
	case s.entry.Source.Path == "":
		return "the picture is not on this computer; type the numbers"
	case !sure && s.known.err == nil:
		return "the file is being looked at"
	case !yes:
		return "it is no picture that can be shown here; type the numbers"
	case s.known.facts.Stored == (image.Point{}):
		return "the size of the picture is not known; type the numbers"
	}
	return ""
}

// regionView edits the region on the picture of the current source.
type regionView struct {
	overlay
	of     []*source
	before func() // restores the regions on cancel
}

var _ kit.Overlay = (*regionView)(nil)

// drawRegion opens the picture to edit its region.
func (m *Model) drawRegion() tea.Cmd {
	v := &regionView{overlay: overlay{m: m}, of: m.targets(), before: m.keepRegions()}
	m.region.Begin()
	m.draw = v
	m.cover(v)
	return nil
}

// drawing reports whether the region is being edited on the picture.
func (m *Model) drawing() bool { return m.draw != nil && !m.draw.Closed() }

// WantsPixels reports whether the mouse should report pixels, so that it can move the region.
func (m *Model) WantsPixels() bool { return m.drawing() && m.region.WantsPixels() }

// set sets the region of the targets; "" removes it.
func (v *regionView) set(region string) {
	for _, s := range v.of {
		v.m.set(s, fieldRegion, region)
	}
	v.m.load()
}

// Actions returns the region's actions and those that accept or cancel.
func (v *regionView) Actions() []kit.Action {
	const group = "Region"
	return v.m.region.Actions(
		kit.Action{ID: "region.next-file", Keys: kit.Bind("next file", "", "n"), Group: group, Disabled: v.oneFile, Do: func() tea.Cmd { return v.turn(1) }},
		kit.Action{ID: "region.previous-file", Keys: kit.Bind("previous file", "", "N"), Group: group, Disabled: v.oneFile, Do: func() tea.Cmd { return v.turn(-1) }},
		kit.Action{
			ID: "region.none", Keys: kit.Bind("no region", "", "x"), Group: group, Disabled: v.m.region.NoRect,
			Do: func() tea.Cmd { v.m.region.Unset(); v.set(""); return nil },
		}, kit.Action{ID: "region.done", Keys: kit.Bind("done", "", "enter", "ctrl+s"), Group: group, Footer: true, Do: v.Close},
		kit.Action{ID: "region.revert", Keys: kit.Bind("leave it as it was", "", "esc"), Group: group, Do: func() tea.Cmd {
			v.before()
			return v.Close()
		}})
}

func (v *regionView) oneFile() string {
	return text.If(len(v.m.regionFiles()) < 2, "there is only one picture")
}

// turn shows the next or previous picture and edits only its region.
func (v *regionView) turn(by int) tea.Cmd {
	m, n := v.m, len(v.m.sources)
	for i := m.list.Cursor(); ; {
		if i = (i + by + n) % n; subjectPicture(m.sources[i]).Path != nil || i == m.list.Cursor() {
			m.list.SetCursor(i)
			break
		}
	}
	v.of = []*source{m.current()}
	m.region.Begin()
	return nil
}

// Mouse moves or draws the region.
func (v *regionView) Mouse(msg tea.MouseMsg) tea.Cmd {
	cmd, _ := v.m.region.Update(msg)
	return cmd
}

// refresh updates the position of the picture in the editor.
func (v *regionView) refresh() {
	size, origin := v.pictureSize(v.room), kit.BoxOrigin(v.room)
	v.m.region.Resize(image.Rectangle{Min: origin, Max: origin.Add(size)})
}

// pictureSize returns the room for the picture above the text.
func (v *regionView) pictureSize(room image.Point) image.Point {
	inner := kit.BoxInner(room)
	return image.Pt(inner.X, inner.Y-len(v.lines(inner, measured)))
}

// View draws the picture with the region and its numbers.
func (v *regionView) View(room image.Point, th *theme.Theme) string {
	size, lines := v.pictureSize(room), v.lines(kit.BoxInner(room), th)
	body := text.Fit("", max(0, size.X), max(0, size.Y))
	if drawn := v.m.region.View(size, th); drawn != "" {
		body = drawn
	}
	body = kit.JoinV(append([]string{body}, lines...)...)
	return kit.BoxFooter("Region of "+text.Safe(v.m.subject().entry.Source.Name()), text.Plural(len(v.of), "file"), body, room, true, th)
}

// lines returns the region's numbers, what the arrows move and the picture's rotation.
func (v *regionView) lines(inner image.Point, th *theme.Theme) []string {
	region, stored := v.m.subject().region(v.m), v.m.subject().known.facts.Stored
	words := fmt.Sprintf("No region. enter begins one in the middle of %d x %d pixels; the mouse draws one.", stored.X, stored.Y)
	switch {
	case v.m.region.Suggesting():
		words = text.Capital(v.m.region.Handle()) + "."
	case region != "":
		words = fmt.Sprintf("x,y,width,height %s of %d x %d. %s.", region, stored.X, stored.Y, text.Capital(v.m.region.Handle()))
		if _, note := v.m.region.Note(); note != "" {
			words += " " + note
		}
	}
	lines := wrapStyled(words, inner.X, th.Text)
	return lines[:min(len(lines), max(0, inner.Y-3))]
}

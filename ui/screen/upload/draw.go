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

// region is the text of the region of a source.
func (s *source) region(m *Model) string { return s.text(m.item(fieldRegion)) }

// newRegion makes the editor of the region, which draws it in the form, too.
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

// regionFiles are the sources that can have a region.
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

// keepRegions returns what gives all sources the regions that they have now.
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

// showPicture asks for the picture of the current source while its region is
// edited.
func (m *Model) showPicture() tea.Cmd {
	s, i := m.subject(), m.focused()
	if s == nil || !m.drawing() && (i == nil || i.section != sectionRegion) {
		return nil
	}
	return tea.Batch(m.region.Show(subjectPicture(s)), m.region.Follow())
}

// subjectPicture is the picture of a source as the editor of the region takes it.
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

// noDraw says why the region cannot be drawn on the picture; empty: it can.
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

// regionView moves the region on the picture of the current source.
type regionView struct {
	overlay
	of     []*source
	before func() // brings the regions back, for leaving without a change
}

var _ kit.Overlay = (*regionView)(nil)

// drawRegion opens the picture with the region.
func (m *Model) drawRegion() tea.Cmd {
	v := &regionView{overlay: overlay{m: m}, of: m.targets(), before: m.keepRegions()}
	m.region.Begin()
	m.draw = v
	m.cover(v)
	return nil
}

// drawing tells whether the region is moved on the picture now.
func (m *Model) drawing() bool { return m.draw != nil && !m.draw.Closed() }

// WantsPixels reports whether the mouse is wanted by pixels: while the region can
// be moved with it.
func (m *Model) WantsPixels() bool { return m.drawing() && m.region.WantsPixels() }

// set gives the targets a region; empty: none.
func (v *regionView) set(region string) {
	for _, s := range v.of {
		v.m.set(s, fieldRegion, region)
	}
	v.m.load()
}

// Actions are those of the region, and to go back with it or without.
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
	if len(v.m.regionFiles()) < 2 {
		return "there is only one picture"
	}
	return ""
}

// turn shows the next picture, or the one before, and edits the region of it alone.
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

// Mouse moves the region, or draws one.
func (v *regionView) Mouse(msg tea.MouseMsg) tea.Cmd {
	cmd, _ := v.m.region.Update(msg)
	return cmd
}

// refresh tells the editor where the picture is.
func (v *regionView) refresh() {
	size, origin := v.pictureSize(v.room), kit.BoxOrigin(v.room)
	v.m.region.Resize(image.Rectangle{Min: origin, Max: origin.Add(size)})
}

// pictureSize is the room for the picture above the words.
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

// lines say the numbers, what the arrows move, and how the picture is turned.
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

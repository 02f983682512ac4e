package extensions

import (
	"fmt"
	"slices"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// describe describes a run and its history, or the runs of a group.
func (m *Model) describe(e kit.Entry[int], f *kit.Facts) (title string) {
	th, now := f.Theme(), m.o.Now()
	if e.Head() {
		f.Say(th.Text, m.runs.tallyOf(e.Rows).String())
		f.Say(th.Muted, "enter folds or unfolds the group.")
		return e.Key
	}
	run := &m.runs.all[e.Row]
	facts, width, lines := f, f.Width(), resultRows
	if m.list.PaneBelow() { // it is wide: the picture is left of the facts
		width, lines = width/3, besideRows
		facts = kit.NewFacts(f.Width()-width-1, th)
	}
	picture := m.drawResult(run, width, lines, th)
	m.describeRun(facts, run, now, th)
	if facts == f && len(picture) > 0 {
		f.Draw(picture...)
		f.Gap()
	}
	m.tellTags(facts, run, th)
	m.tell(facts, run, now, th)
	if facts != f {
		f.Draw(kit.Beside(picture, facts.Lines())...)
	}
	return run.Extension
}

func (m *Model) describeRun(f *kit.Facts, run *api.Run, now time.Time, th *theme.Theme) {
	mark := sign(run.Status)
	words := string(run.Status)
	switch took := run.At.Sub(run.Started); {
	case run.Status.Final() && took < time.Second:
		words += " within 1 s"
	case run.Status.Final():
		words += " after " + text.Duration(took)
	default:
		words += " for " + text.Duration(now.Sub(run.Started))
	}
	f.Say(th.SignStyle(mark), th.Glyph(mark)+" "+words)
	f.Say(th.Bad, run.Error)
	if !run.Status.Final() {
		_, long := m.ahead(run, now)
		f.Say(th.Text, long)
	}
	if run.Denied != "" {
		f.Say(th.Warn, "A later webhook post says "+string(run.Denied)+". The first result counts; check the file (i).")
	}
	if run.Status == api.StatusFailed {
		f.Say(th.Text, "The service does not retry. Press s to request it again.")
	}
	f.Gap()
	f.Fact("File", folderOf(run))
	f.Fact("File id", run.FileID)
	f.Fact("Asked", text.When(run.Started, now))
	f.Fact("Known from", known(run))
	f.Fact("Options", options(run))
	f.Gap()
}

// tellTags describes the tags that an extension found.
func (m *Model) tellTags(f *kit.Facts, run *api.Run, th *theme.Theme) {
	h := &m.history
	if h.id != run.ID || h.file == nil || !api.IsTagging(run.Extension) || run.Status != api.StatusSuccess {
		return
	}
	tags := aiTagsOf(h.file, run.Extension)
	if len(tags) == 0 {
		f.Say(th.Muted, "When last seen, the file had no AI tags from it.")
		f.Gap()
		return
	}
	f.Say(th.Title, "AI tags")
	taken := h.file.Tags.Or(nil)
	for _, tag := range tags {
		words := fmt.Sprintf("%3.0f %%  %s", tag.Confidence, tag.Name)
		if slices.Contains(taken, tag.Name) {
			words += "  (is a tag)"
		}
		f.Say(th.Text, words)
	}
	f.Say(th.Muted, "i opens the details; t there adds them as tags.")
	f.Gap()
}

// tell writes the history of a run.
func (m *Model) tell(f *kit.Facts, run *api.Run, now time.Time, th *theme.Theme) {
	f.Say(th.Title, "History")
	h := &m.history
	switch {
	case h.id != run.ID || !h.read:
		f.Say(th.Muted, "Reading…")
		return
	case h.err != nil:
		f.Say(th.Bad, "Cannot be read: "+h.err.Error())
		return
	case len(h.events) == 0:
		f.Say(th.Muted, "No history.")
		return
	}
	ended := false
	for i := range h.events {
		e := &h.events[i]
		style := th.Text
		if !e.Applied {
			style = th.Warn
		}
		f.Say(style, e.From+"  "+string(e.Status))
		f.Say(th.Muted, "  "+text.When(e.At, now))
		if words := verdict(run, e, ended); words != "" {
			f.Say(th.Warn, "  "+words)
		}
		if e.Times > 1 {
			f.Say(th.Warn, fmt.Sprintf("  received %d times, counted once", e.Times))
		}
		ended = ended || e.Applied && e.Status.Final()
	}
	f.Say(th.Muted, "enter shows it with the raw posts.")
}

package details

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// save begins to save the current file: it reads the record again, then shows
// the difference and asks.
func (m *Model) save() tea.Cmd {
	e := m.current()
	if m.others() > 1 || m.others() == 1 && e.changed() {
		return m.saveAll()
	}
	if !m.ready(e) {
		return nil
	}
	m.busy = "Looking whether it changed meanwhile…"
	return m.refresh(forSave)
}

// ready tells whether the drafts can be sent; what stands in the way is shown
// at its place.
func (m *Model) ready(e *entry) bool {
	_, err := e.change()
	e.problem = err
	if err != nil && e.region.mode == set && e == m.current() {
		m.focus(onRegion)
	}
	return err == nil
}

// confirmedMsg says that a person has seen the difference and wants it saved.
type confirmedMsg struct {
	id     string
	change api.Details
}

// askSave shows what would be sent.
func (m *Model) askSave(e *entry) tea.Cmd {
	if m.gone(e) {
		e.problem = fmt.Errorf("it is not in the library any more, so nothing was saved: %w", e.readErr)
		return nil
	}
	if !m.ready(e) {
		return nil
	}
	d, _ := e.change()
	if d.IsEmpty() {
		meanwhile := e.meanwhile
		e.meanwhile = nil
		e.forget()
		m.load()
		if len(meanwhile) > 0 {
			return toast(page.Info, "The service has it like that already; nothing was sent.")
		}
		return toast(page.Info, "Nothing is changed, so nothing was sent.")
	}
	lines := append(changeWords(&e.file, d), "", m.groundWords(e))
	q := page.Ask{
		Title: "Save " + name(&e.file) + "?",
		Text:  strings.Join(lines, "\n"),
		Choices: []page.Choice{
			{Label: "Keep editing", Key: "k"},
			{Label: "Save", Key: "s", Msg: confirmedMsg{e.file.FileID, d}},
		},
	}
	if len(e.meanwhile) > 0 {
		q.Choices = append(q.Choices, m.otherWays(e, d)...)
	}
	e.meanwhile = nil
	return page.Send(q)
}

// otherWays are what else can be done where others changed the file meanwhile:
// tags exactly as they were typed, without what others did; or theirs, without
// what was typed.
func (m *Model) otherWays(e *entry, d api.Details) []page.Choice {
	var ways []page.Choice
	if e.typed.mode == set && !slices.Equal(e.typed.value, d.Tags.Or(nil)) {
		mine := d
		mine.Tags = api.Set(slices.Clone(e.typed.value))
		ways = append(ways, page.Choice{Label: "Only mine", Key: "m", Msg: confirmedMsg{e.file.FileID, mine}})
	}
	return append(ways, page.Choice{Label: "Take theirs", Key: "t", Msg: theirsMsg(e.file.FileID)})
}

// theirsMsg says that what others did stays and the drafts are dropped.
type theirsMsg string

func (m *Model) takeTheirs(msg theirsMsg) tea.Cmd {
	e := m.entryOf(string(msg))
	if e == nil {
		return nil
	}
	e.forget()
	m.load()
	return toast(page.Info, "Took what others did; nothing was sent.")
}

// groundWords say what a difference is a difference to.
func (m *Model) groundWords(e *entry) string {
	switch {
	case e.readErr == nil && len(e.meanwhile) > 0:
		return "Meanwhile others changed it: " + strings.Join(e.meanwhile, "; ") + ". Yours comes on top of that."
	case e.readErr == nil:
		return "Looked just now: nobody changed it meanwhile."
	case api.Unavailable(e.readErr):
		return "The difference is to the file " + m.seenWords(e) + "; this service does not let us look again."
	}
	return "The difference is to the file " + m.seenWords(e) + "; looking again failed: " + e.readErr.Error()
}

// seenWords is when the record was seen.
func (m *Model) seenWords(e *entry) string {
	age := text.Age(e.at, m.now())
	switch {
	case e.at.IsZero():
		return "as last seen"
	case age == "now":
		return "as seen just now"
	}
	return "as last seen " + age
}

// savedMsg has the record after a change, or why there was none.
type savedMsg struct {
	id   string
	did  string // "Saved", "Restored"
	file *api.File
	at   time.Time
	err  error
	sent drafts // as they were
}

// drafts are what of an entry is not saved.
type drafts struct {
	tags                draft[[]string]
	region, description draft[string]
	metadata            map[string]json.RawMessage
}

func (e *entry) drafts() drafts {
	return drafts{e.tags, e.region, e.description, maps.Clone(e.metadata)}
}

// settle lets go of the drafts that were sent. What was drafted while the answer
// was on its way stays drafted.
func (e *entry) settle(sent drafts) {
	if sameTags(e.tags, sent.tags) {
		e.tags = draft[[]string]{}
	}
	if e.region == sent.region {
		e.region = draft[string]{}
	}
	if e.description == sent.description {
		e.description = draft[string]{}
	}
	for key, value := range sent.metadata {
		if now, ok := e.metadata[key]; ok && sameValue(now, value) {
			delete(e.metadata, key)
		}
	}
	e.typed, e.meanwhile, e.problem = draft[[]string]{}, nil, nil
}

// send sends a change that was confirmed.
func (m *Model) send(msg confirmedMsg) tea.Cmd {
	e := m.entryOf(msg.id)
	if e == nil || m.busy != "" {
		return nil
	}
	m.busy = "Saving…"
	out := savedMsg{id: msg.id, did: "Saved", sent: e.drafts()}
	ctx, s, now := m.o.Context, m.o.Session, m.now
	return func() tea.Msg {
		out.file, out.err = s.Change(ctx, msg.id, msg.change)
		if out.err == nil && out.file == nil {
			out.err = api.ErrNoRecord
		}
		out.at = now()
		return out
	}
}

// saved takes the record after a change over and tells everybody.
func (m *Model) saved(msg savedMsg) tea.Cmd {
	e := m.entryOf(msg.id)
	if e == nil {
		return nil
	}
	m.busy = ""
	e.problem = msg.err
	if msg.err != nil {
		return nil
	}
	e.settle(msg.sent)
	before := e.file
	e.rebase(*msg.file, msg.at)
	m.load()
	words := strings.Join(difference(&before, &e.file), "; ")
	if words == "" {
		words = "tags and region are as they were"
	}
	done := page.Toast{Level: page.Good, Text: fmt.Sprintf("%s %s.", msg.did, name(&e.file)), Detail: words}
	if len(words) <= shortWords {
		done.Text += " " + words + "."
	}
	return tea.Batch(page.Send(page.FileChanged{File: e.file}), page.Send(done))
}

// shortWords is the length up to which a difference is told in passing; a longer
// one can be read whole.
const shortWords = 90

func sameTags(a, b draft[[]string]) bool {
	return a.mode == b.mode && api.JoinTags(a.value) == api.JoinTags(b.value)
}

// leaveMsg drops what is not saved and goes back.
type leaveMsg struct{}

// leave goes back. Where something is not saved it asks first.
func (m *Model) leave() tea.Cmd {
	names := m.Unsaved()
	if len(names) == 0 {
		return page.Send(page.Back{})
	}
	return page.Send(page.Ask{Title: "Leave without saving?", Text: page.NotSaved(names), Choices: []page.Choice{
		{Label: "Keep editing", Key: "k"},
		{Label: "Leave, drop the changes of " + text.Plural(len(names), "file"), Key: "l", Danger: true, Msg: leaveMsg{}},
	}})
}

// left is the answer "leave".
func (m *Model) left() tea.Cmd {
	for _, e := range m.entries {
		e.forget()
	}
	m.load()
	return page.Send(page.Back{})
}

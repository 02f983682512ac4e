package upload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

type (
	// queuedMsg tells which jobs the queue took.
	queuedMsg struct {
		jobs   []api.Job // what the queue took
		left   []left    // why nothing was queued
		taken  []*source // the sources of the jobs that were meant
		failed error     // of the queue
	}
)

// left is a source that cannot be sent as it is.
type left struct {
	source *source
	err    error
}

// draft is one source on its way to the queue.
type draft struct {
	source *source
	api.Entry
	own    bool
	picked api.Identity // when the form looked at it; zero: it did not
}

// noSend says why nothing can be sent now; empty: it can be tried.
func (m *Model) noSend() string {
	if n := len(m.sum().stopped); n > 0 {
		return "the service would refuse " + text.Plural(n, "file") + "; see Checks"
	}
	return ""
}

// noProblem says that nothing stops the sending.
func (m *Model) noProblem() string {
	if m.noSend() == "" {
		return "nothing stops the sending"
	}
	return ""
}

// send queues the sources, with a question where it is more than one file, something
// is lost or is stored already. Sending is the default unless something is lost or
// stored twice.
func (m *Model) send() tea.Cmd {
	m.leave()
	m.setFocus(m.focus)
	t := m.sum()
	if t.first != nil {
		return m.refuse() // by what was taken over just now
	}
	if s := m.conflict(); s != nil {
		return m.askNaming(s)
	}
	words := ""
	if n := m.losses(); n > 0 {
		words = m.describeLoss(n)
	}
	if len(t.collides) > 0 {
		words += text.Plural(len(t.collides), "file") + " share a place with another: the later one replaces the earlier one.\n"
	}
	lost := words != ""
	taken := m.taken()
	if len(taken) > 0 {
		words += describeTaken(taken) + "\n"
	}
	if len(t.stored) > 0 {
		words += m.describeAlready(t) + ".\n"
	}
	if words == "" && len(m.sources) == 1 {
		return m.hand(nil)
	}
	verb := m.sendLabel(m.sources)
	choices := []page.Choice{{Label: "Not yet", Key: "n"}}
	send := page.Choice{Label: verb, Key: "s", Default: !lost && len(t.stored) == t.alike, Danger: lost, Do: func() tea.Cmd { return m.hand(nil) }}
	if len(t.stored) > 0 {
		send.Label += " anyway"
		if others := m.without(t.stored); len(others) > 0 {
			skip := page.Choice{Label: "Skip: " + lowerFirst(m.sendLabel(others)), Key: "k", Default: !lost && t.alike == 0, Do: func() tea.Cmd { return m.hand(t.stored) }}
			choices = append(choices, skip)
		}
	}
	choices = append(choices, send)
	if len(taken) > 0 {
		choices = append(choices, page.Choice{Label: "Keep both: add a unique suffix", Key: "u", Do: func() tea.Cmd {
			for _, s := range taken {
				m.set(s, fieldNaming, string(api.NameHere))
			}
			m.load()
			return m.hand(nil)
		}})
	}
	return page.Send(page.Ask{
		Title: verb + "?", Text: words + m.sumUp() + "\nIt goes to " + host(m.o.Profile) + ".",
		Choices: choices,
	})
}

// taken are the sources whose exact name a file in the library has.
func (m *Model) taken() (taken []*source) {
	for _, s := range m.sources {
		if m.predict(s).result == api.NewVersion {
			taken = append(taken, s)
		}
	}
	return taken
}

func describeTaken(taken []*source) string {
	if len(taken) == 1 {
		return "A file named " + taken[0].storedPath() + " is there already: sending makes a new version of it."
	}
	return text.Plural(len(taken), "file") + " have names that are taken: sending makes new versions of the files there."
}

// without are the sources but some of them.
func (m *Model) without(some map[*source]bool) []*source {
	return slices.DeleteFunc(slices.Clone(m.sources), func(s *source) bool { return some[s] })
}

// refuse goes to the field that stops the sending and says why.
func (m *Model) refuse() tea.Cmd {
	m.leave()
	t := m.sum()
	if t.first == nil {
		return m.send() // what was taken over just now put it right
	}
	l := t.checks[0]
	m.goToCheck(check{field: t.at, of: t.first})
	return page.Send(page.Toast{Level: page.Bad, Text: "Not sent. " + l.text, Detail: l.help})
}

// losses is how many of the sources take something from a file that is, or may
// be, at their place.
func (m *Model) losses() int { return m.sum().all.destroy }

// describeLoss say what is lost; of several files only how many lose something.
func (m *Model) describeLoss(n int) string {
	if len(m.sources) > 1 {
		if n == len(m.sources) {
			return "Each of them can take something from a file at its place.\n"
		}
		return fmt.Sprintf("%d of them can take something from a file at its place.\n", n)
	}
	var b strings.Builder
	for _, l := range m.predict(m.sources[0]).told().lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// sendLabel names the action with its number and target.
func (m *Model) sendLabel(sources []*source) string {
	return "Send " + text.Plural(len(sources), "file") + " to " + m.target(sources)
}

// target is the folder that sources go to, or the number of their folders.
func (m *Model) target(sources []*source) string {
	folders := map[string]bool{}
	for _, s := range sources {
		folders[s.folder()] = true
	}
	if len(folders) > 1 {
		return text.Plural(len(folders), "folder")
	}
	return sources[0].folder()
}

// hand gives the sources to the queue, without some of them.
func (m *Model) hand(without map[*source]bool) tea.Cmd {
	if m.sending {
		return nil
	}
	var drafts []draft
	for _, s := range m.sources {
		if without[s] {
			continue
		}
		s.failed = nil
		d := draft{source: s, Entry: s.entry, own: s.entry.Webhook(m.o.Profile.Receiver)}
		d.Upload = s.upload()
		if s.known.looked && s.known.err == nil {
			d.picked = s.known.identity
		}
		drafts = append(drafts, d)
	}
	if len(drafts) == 0 {
		return nil
	}
	m.stopFinding()
	m.sending, m.draw = true, nil
	m.Overlays().CloseAll()
	m.changed()
	ctx, profile, send := m.o.Context, m.o.Profile.Name, m.o.Session.Send
	letGo := m.keepOthers(without)
	return func() tea.Msg {
		msg := enqueue(ctx, profile, drafts, send)
		if len(msg.left) == 0 && msg.failed == nil {
			letGo()
		}
		return msg
	}
}

// enqueue checks the sources once more and gives them to the queue: all of them, or
// none where one has changed or is missing.
func enqueue(ctx context.Context, profile string, drafts []draft, send func(context.Context, []api.Job) ([]api.Job, error)) queuedMsg {
	var msg queuedMsg
	jobs := make([]api.Job, 0, len(drafts))
	batch := session.NewBatch(time.Now())
	for _, d := range drafts {
		job := api.Job{Profile: profile, Upload: d.Upload, Naming: d.Naming, OwnWebhook: d.own, Batch: batch}
		if d.Source.Path != "" {
			now, err := api.Identify(d.Source.Path)
			if err == nil && d.picked != (api.Identity{}) && !now.Same(d.picked) {
				err = changedError(d.Source, d.picked, now)
			}
			if err != nil {
				msg.left = append(msg.left, left{d.source, err})
				continue
			}
			job.Identity = now
		}
		api.ApplyNaming(&job.Upload, d.Naming)
		jobs = append(jobs, job)
		msg.taken = append(msg.taken, d.source)
	}
	if len(msg.left) > 0 {
		return msg
	}
	msg.jobs, msg.failed = send(ctx, jobs)
	return msg
}

// errChanged is in the chain of the error of a source that is not what was
// picked.
var errChanged = errors.New("changed since it was picked")

func changedError(src api.Source, was, now api.Identity) error {
	what := "its content is newer"
	if was.Size != now.Size {
		what = "it had " + text.Bytes(was.Size) + " and has " + text.Bytes(now.Size) + " now"
	}
	return fmt.Errorf("%q %w: %s; look at it and send again", src.Name(), errChanged, what)
}

// queued removes what the queue took from the form.
func (m *Model) queued(msg queuedMsg) tea.Cmd {
	m.sending = false
	m.unkept = m.unkept || m.touched
	if len(msg.left) > 0 {
		return m.leftOver(msg)
	}
	var cmds []tea.Cmd
	if msg.failed != nil {
		cmds = append(cmds, page.Send(page.Problem(fmt.Errorf("not queued: %w", msg.failed))))
	}
	if len(msg.jobs) > 0 {
		cmds = append(cmds, page.Send(page.Sent{Jobs: msg.jobs}))
		m.letGo(msg)
	}
	if msg.failed == nil && !m.away {
		cmds = append(cmds, page.Send(page.Show{ID: page.Uploads}))
	}
	return tea.Batch(cmds...)
}

// letGo takes the sources of the jobs out of the form.
func (m *Model) letGo(msg queuedMsg) {
	count := map[api.Source]int{}
	for _, job := range msg.jobs {
		count[job.Upload.Source]++
	}
	gone := map[*source]bool{}
	for _, s := range msg.taken {
		if count[s.entry.Source] > 0 {
			count[s.entry.Source]--
			gone[s] = true
		}
	}
	m.setSources(slices.DeleteFunc(m.sources, func(s *source) bool { return gone[s] }))
}

// leftOver shows which sources cannot be sent as they are, and asks about the
// others.
func (m *Model) leftOver(msg queuedMsg) tea.Cmd {
	without := map[*source]bool{}
	for _, l := range msg.left {
		without[l.source] = true
		// It is read again: the person was told, and sending again means
		// the file as it is now.
		l.source.known, l.source.checked = known{}, nil
		if errors.Is(l.err, errChanged) {
			l.source.failed = l.err
		}
	}
	m.changed()
	if at := slices.Index(m.sources, msg.left[0].source); at >= 0 {
		m.list.SetCursor(at)
	}
	return tea.Batch(m.inspectSources(), m.askWithout(msg, without))
}

// askWithout offers to send the sources that can be sent without the others.
func (m *Model) askWithout(msg queuedMsg, without map[*source]bool) tea.Cmd {
	first := msg.left[0].err
	if len(msg.taken) == 0 {
		return page.Send(page.Toast{Level: page.Bad, Text: "Not sent. " + text.Sentence(first.Error()), Detail: api.Hint(first)})
	}
	return page.Send(page.Ask{
		Title: fmt.Sprintf("%d of %s cannot be sent as they are", len(msg.left), text.Plural(len(m.sources), "file")),
		Text:  text.Sentence(first.Error()) + "\nNothing was sent yet. The others can go without.",
		Choices: []page.Choice{
			{Label: "Back to the form", Key: "b"},
			{Label: m.sendLabel(m.without(without)), Key: "s", Default: true, Do: func() tea.Cmd { return m.hand(without) }},
		},
	})
}

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

// queued tells which jobs the queue accepted.
type queued struct {
	jobs   []api.Job // accepted jobs
	left   []left    // why nothing was queued
	taken  []*source // sources of the jobs that were offered
	failed error     // error of the queue
}

// left is a source that cannot be sent.
type left struct {
	source *source
	err    error
}

// draft is a source to be queued.
type draft struct {
	source *source
	api.Entry
	own    bool
	picked api.Identity // when the form looked at it; zero: it did not
}

// noSend returns why nothing can be sent, or "".
func (m *Model) noSend() string {
	if n := len(m.sum().stopped); n > 0 {
		return "the service would refuse " + text.Plural(n, "file") + "; see Checks"
	}
	return ""
}

// noProblem returns why there is no problem to go to, or "".
func (m *Model) noProblem() string {
	return text.If(m.noSend() == "", "nothing stops the sending")
}

// send queues the sources. It asks first if there are several, if something is lost, or if one is already stored.
// Sending is the default answer unless it loses something or stores it twice.
func (m *Model) send() tea.Cmd {
	m.leave()
	m.setFocus(m.focus)
	t := m.sum()
	if t.first != nil {
		return m.refuse() // the focused field caused a problem
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

// taken returns the sources whose exact name already exists in the library.
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

// without returns the sources that are not in some.
func (m *Model) without(some map[*source]bool) []*source {
	return slices.DeleteFunc(slices.Clone(m.sources), func(s *source) bool { return some[s] })
}

// refuse goes to the field that blocks sending and says why.
func (m *Model) refuse() tea.Cmd {
	m.leave()
	t := m.sum()
	if t.first == nil {
		return m.send() // the focused field fixed the problem
	}
	l := t.checks[0]
	m.goToCheck(check{field: t.at, of: t.first})
	return page.Send(page.Toast{Level: page.Bad, Text: "Not sent. " + l.text, Detail: l.help})
}

// losses returns how many sources remove something from an existing file, or may do so.
func (m *Model) losses() int { return m.sum().all.destroy }

// describeLoss describes the losses. For several files, it gives only their number.
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

// sendLabel returns the label of the send action with the number of files and the target.
func (m *Model) sendLabel(sources []*source) string {
	return "Send " + text.Plural(len(sources), "file") + " to " + m.target(sources)
}

// target returns the folder of the sources, or the number of folders.
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

// hand queues the sources except those in without.
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
		return page.Then(func() tea.Cmd { return m.queued(msg) })
	}
}

// enqueue checks the sources again and queues all of them, or none if one has changed or is missing.
func enqueue(ctx context.Context, profile string, drafts []draft, send func(context.Context, []api.Job) ([]api.Job, error)) queued {
	var msg queued
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

// errChanged marks a source that has changed since it was picked.
var errChanged = errors.New("changed since it was picked")

func changedError(src api.Source, was, now api.Identity) error {
	what := "its content is newer"
	if was.Size != now.Size {
		what = "it had " + text.Bytes(was.Size) + " and has " + text.Bytes(now.Size) + " now"
	}
	return fmt.Errorf("%q %w: %s; look at it and send again", src.Name(), errChanged, what)
}

// queued removes the accepted jobs from the form.
func (m *Model) queued(msg queued) tea.Cmd {
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

// letGo removes the sources of the jobs from the form.
func (m *Model) letGo(msg queued) {
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

// leftOver shows which sources cannot be sent and asks about the rest.
func (m *Model) leftOver(msg queued) tea.Cmd {
	without := map[*source]bool{}
	for _, l := range msg.left {
		without[l.source] = true
		// Read it again: sending again means the file as it is now.
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

// askWithout offers to send the other sources.
func (m *Model) askWithout(msg queued, without map[*source]bool) tea.Cmd {
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

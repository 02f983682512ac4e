package upload

import (
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

// send queues the sources. It asks first if there are several, if something is lost, or if one is already stored.
// Sending is the default answer unless it loses something or stores it twice.
func (m *Model) send() tea.Cmd {
	m.form.Blur()
	t := m.sum()
	if len(t.stopped) > 0 {
		return m.refuse(t.checks[0])
	}
	if s := m.conflict(); s != nil {
		return m.askNaming(s)
	}
	words := ""
	if n := t.destroy; n > 0 {
		words = m.describeLoss(n)
	}
	if len(t.collides) > 0 {
		words += text.Plural(len(t.collides), "file") + " share a place with another: the later one replaces the earlier one.\n"
	}
	lost := words != ""
	var taken []*source // their exact names exist in the library
	for _, s := range m.sources {
		if m.verdict(s).out.Result == api.NewVersion {
			taken = append(taken, s)
		}
	}
	if len(taken) > 0 {
		if len(taken) == 1 {
			words += "A file named " + api.PathOf(&taken[0].entry.Upload) + " is there already: sending makes a new version of it.\n"
		} else {
			words += text.Plural(len(taken), "file") + " have names that are taken: sending makes new versions of the files there.\n"
		}
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

// without returns the sources that are not in some.
func (m *Model) without(some map[*source]bool) []*source {
	return slices.DeleteFunc(slices.Clone(m.sources), func(s *source) bool { return some[s] })
}

// refuse goes to the field that blocks sending and says why.
func (m *Model) refuse(c check) tea.Cmd {
	m.goToCheck(c)
	return page.Send(page.Toast{Level: page.Bad, Text: "Not sent. " + c.text, Detail: c.help})
}

// describeLoss describes the losses. For several files, it gives only their number.
func (m *Model) describeLoss(n int) string {
	if len(m.sources) > 1 {
		if n == len(m.sources) {
			return "Each of them can take something from a file at its place.\n"
		}
		return fmt.Sprintf("%d of them can take something from a file at its place.\n", n)
	}
	var b strings.Builder
	for _, l := range m.verdict(m.sources[0]).out.Lines() {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// sumUp says in one line what is sent where: "14 files, 872 kB → /greece/ · 2 warnings".
func (m *Model) sumUp() string {
	words := text.Plural(len(m.sources), "file")
	if size := m.totalSize(); size != "" {
		words += ", " + size
	}
	words += " → " + m.target(m.sources)
	if n := len(m.sum().checks); n > 0 {
		words += " · " + text.Plural(n, "warning")
	}
	return words
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

// hand queues the sources except those in without, or none of them if one has changed or is missing.
func (m *Model) hand(without map[*source]bool) tea.Cmd {
	taken := m.without(without)
	if m.sending || len(taken) == 0 {
		return nil
	}
	jobs, batch := make([]api.Job, len(taken)), session.NewBatch(time.Now())
	for i, s := range taken {
		s.failed = nil
		jobs[i] = api.Job{Profile: m.o.Profile.Name, Upload: s.upload(), Naming: s.entry.Naming, OwnWebhook: s.entry.Webhook(m.o.Profile.Receiver), Batch: batch}
		if s.known.looked && s.known.err == nil {
			jobs[i].Identity = s.known.identity
		}
	}
	m.stopFinding()
	m.sending = true
	m.Overlays().CloseAll()
	m.changed()
	ctx, send, letGo := m.o.Context, m.o.Session.Send, m.keepOthers(without)
	return func() tea.Msg {
		left := map[*source]error{}
		for i, s := range taken {
			if err := prepare(&jobs[i]); err != nil {
				left[s] = err
			}
		}
		if len(left) > 0 {
			return page.Then(func() tea.Cmd { return m.leftOver(taken, left) })
		}
		queued, err := send(ctx, jobs)
		if err == nil {
			letGo()
		}
		return page.Then(func() tea.Cmd { return m.queued(taken, queued, err) })
	}
}

// prepare looks at the source of a job again and names the upload. It returns an error if the source has changed since
// the form looked at it.
func prepare(job *api.Job) error {
	if src := job.Upload.Source; src.Path != "" {
		now, err := api.Identify(src.Path)
		if err == nil && job.Identity != (api.Identity{}) && !now.Same(job.Identity) {
			err = changedError(src, job.Identity, now)
		}
		if err != nil {
			return err
		}
		job.Identity = now
	}
	api.ApplyNaming(&job.Upload, job.Naming)
	return nil
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

// queued removes the sources of the accepted jobs from the form.
func (m *Model) queued(taken []*source, jobs []api.Job, err error) tea.Cmd {
	m.sending = false
	m.unkept = m.unkept || m.touched
	var cmds []tea.Cmd
	if err != nil {
		cmds = append(cmds, page.Send(page.Problem(fmt.Errorf("not queued: %w", err))))
	}
	if len(jobs) > 0 {
		cmds = append(cmds, page.Send(page.Sent{Jobs: jobs}))
		count := map[api.Source]int{}
		for _, job := range jobs {
			count[job.Upload.Source]++
		}
		gone := map[*source]bool{}
		for _, s := range taken {
			count[s.entry.Source]--
			gone[s] = count[s.entry.Source] >= 0
		}
		m.setSources(m.without(gone))
	}
	if err == nil && !m.away {
		cmds = append(cmds, page.Send(page.Show{ID: page.Uploads}))
	}
	return tea.Batch(cmds...)
}

// leftOver shows which sources cannot be sent as they are, and offers to send the others.
func (m *Model) leftOver(taken []*source, left map[*source]error) tea.Cmd {
	m.sending = false
	m.unkept = m.unkept || m.touched
	without := map[*source]bool{}
	for s, err := range left {
		without[s] = true
		// Read it again: sending again means the file as it is now.
		if s.known, s.checked = (known{}), nil; errors.Is(err, errChanged) {
			s.failed = err
		}
	}
	m.changed()
	at := slices.IndexFunc(taken, func(s *source) bool { return without[s] })
	m.list.Show(taken[at])
	words, help := text.Sentence(left[taken[at]].Error()), api.Hint(left[taken[at]])
	if len(left) == len(taken) {
		return tea.Batch(m.inspectSources(), page.Send(page.Toast{Level: page.Bad, Text: "Not sent. " + words, Detail: help}))
	}
	return tea.Batch(m.inspectSources(), page.Confirm(
		fmt.Sprintf("%d of %s cannot be sent as they are", len(left), text.Plural(len(m.sources), "file")),
		words+"\nNothing was sent yet. The others can go without.",
		page.Choice{Label: "Back to the form", Key: "b"},
		page.Choice{
			Label: m.sendLabel(m.without(without)), Key: "s", Default: true,
			Do: func() tea.Cmd { return m.hand(without) },
		}))
}

// firstMinute is the least age of a local file that causes the naming question, because new users often send the same file
// twice.
const firstMinute = time.Minute

// conflict returns the first source whose name is taken, or nil. It is nil if the user has already chosen a naming.
func (m *Model) conflict() *source {
	if !m.o.Profile.AskNaming {
		return nil
	}
	for _, s := range m.sources {
		f := s.namesake()
		if f != nil && s.entry.Naming == api.NameHere && (!m.o.Profile.Local || m.o.Now().Sub(f.Created()) >= firstMinute) {
			return s
		}
	}
	return nil
}

// askNaming asks how to name files.
func (m *Model) askNaming(s *source) tea.Cmd {
	return page.Send(page.Ask{
		Title: "How do you want to name files in " + m.o.Profile.Name + "?",
		Text: s.folder() + " has a file named " + s.entry.FileName + " already.\n" +
			"A unique suffix keeps both. With exact names mediadesk asks each time before it replaces a file.\n" +
			"The answer is kept for this account. You can change it in Settings.",
		Choices: []page.Choice{
			{Label: "Not yet", Key: "n"},
			{Label: "Add a unique suffix", Key: "u", Default: true, Do: func() tea.Cmd { return m.name(api.NameHere) }},
			{Label: "Exact names", Key: "e", Do: func() tea.Cmd { return m.name(api.NameExact) }},
		},
	})
}

// name saves the answer to askNaming and continues sending. Exact names return to the form, because they need a lookup.
func (m *Model) name(naming api.Naming) tea.Cmd {
	m.o.Profile.Naming, m.o.Profile.AskNaming = naming, false
	kept := func() tea.Msg {
		if err := m.o.Session.KeepNaming(naming); err != nil {
			return page.Problem(err)
		}
		return nil
	}
	if naming == api.NameHere {
		return tea.Batch(kept, m.send())
	}
	for _, s := range m.sources {
		if s.entry.Naming == api.NameHere {
			m.set(s, fieldNaming, string(naming))
		}
	}
	m.load()
	return tea.Batch(kept, page.Send(page.Toast{Level: page.Info, Text: "Files are sent under their exact names. Press ctrl+s to send."}))
}

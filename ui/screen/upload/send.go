package upload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// send queues the sources. It asks about names that are taken, if there are several files, if
// something is lost.
func (m *Model) send() tea.Cmd {
	m.Focus(m.On)
	t := m.sum()
	if len(t.checks) > 0 && t.checks[0].stop {
		c := t.checks[0]
		m.goToCheck(c)
		return page.Send(page.Toast{Level: page.Bad, Text: "Not sent. " + c.text, Detail: c.help})
	}
	if taken := slices.DeleteFunc(slices.Clone(m.Items),
		func(s *source) bool { return !m.taken(s) }); len(taken) > 0 {
		return m.askTaken(taken, map[*source]bool{})
	}
	if len(m.Items) == 1 && t.losses == 0 {
		return m.hand(m.Items)
	}
	words := ""
	switch {
	case t.losses > 0 && len(m.Items) == 1:
		words = m.describeLoss(m.Items[0])
	case t.losses > 0:
		words = text.Plural(t.losses, "file") + " can take something from a file at the same place.\n"
	}
	send := page.Choice{
		Label: "Send", Key: "s", Default: words == "", Danger: t.losses > 0,
		Do: func() tea.Cmd { return m.hand(m.Items) },
	}
	return page.Send(page.Ask{
		Title:   "Send " + text.Plural(len(m.Items), "file") + "?",
		Text:    strings.TrimSpace(words),
		Facts:   append([][2]string{{"Account", m.o.Profile.Name + " · " + host(m.o.Profile)}, {"Size", size(m.Items)}}, shared(m.Items)...),
		Choices: []page.Choice{{Label: "Not yet", Key: "n"}, send}, Drawing: m.Review(m.Items),
	})
}

// askTaken asks what to do about a name that is taken, for this file or for all, until none is
// left. Then it sends all but those to skip.
func (m *Model) askTaken(taken []*source, skip map[*source]bool) tea.Cmd {
	s := taken[0]
	decide := func(key, label string, all bool, do func(*source)) page.Choice {
		of := taken[:1]
		if all {
			of, key, label = taken, strings.ToUpper(key), "All: "+strings.ToLower(label)
		}
		return page.Choice{Key: key, Label: label, Do: func() tea.Cmd {
			for _, s := range of {
				do(s)
			}
			m.Touch(of...)
			if rest := taken[len(of):]; len(rest) > 0 {
				return m.askTaken(rest, skip)
			}
			left := m.without(skip)
			if len(left) == 0 {
				return page.Tell(page.Info, "All files were skipped; nothing was sent.")
			}
			return m.hand(left)
		}}
	}
	same := s.known.inspected && m.locate(s).File.Size.Or(-1) == s.known.identity.Size
	choices := []page.Choice{{Label: "Not yet", Key: "n"}}
	overwrite := func(s *source) { s.SetText(entry.FieldByName(rule.FieldOverwriteFile), "true") }
	for _, all := range []bool{false, true} {
		if all && len(taken) < 2 {
			break
		}
		choices = append(choices,
			decide("v", "New version", all, overwrite),
			decide("u", "Add a suffix", all, func(s *source) { s.Naming = job.NameHere }),
			decide("k", "Skip", all, func(s *source) { skip[s] = true }))
	}
	choices[2].Default, choices[3].Default = !same, same
	words := text.If(len(taken) > 1, text.Count(len(taken))+" of your files have taken names; this is the first.\n")
	words += text.If(same, "It has the same size as yours.\n")
	if loss := m.describeLoss(s); loss != "" {
		choices[1].Danger = true
		words += "A new version takes something from it. " + loss
	}
	words += "A suffix keeps both files. Skip leaves yours in the form."
	return page.Send(page.Ask{Title: rule.PathOf(&s.Upload) + " exists already", Text: words, Choices: choices})
}

// describeLoss says what a new version takes from the file at the place of a source; empty if
// nothing.
func (m *Model) describeLoss(s *source) string {
	words := ""
	for _, l := range m.decision(s).out.Lines() {
		if l.Loss {
			words += l.Text + "\n"
		}
	}
	return words
}

// size is the size of sources, as far as known.
func size(sources []*source) string {
	var size int64
	for _, s := range sources {
		size += s.known.identity.Size
	}
	return text.Bytes(size)
}

// shared lists the folders of sources, and the tags and extensions that all of them have.
func shared(sources []*source) [][2]string {
	count := map[string]int{}
	for _, s := range sources {
		count[s.folder()]++
	}
	names := slices.Sorted(maps.Keys(count))
	for i, name := range names {
		names[i] = name + text.If(len(names) > 1, " ×"+text.Count(count[name]))
	}
	facts := [][2]string{{text.Either(len(names) > 1, "Folders", "Folder"), strings.Join(names, " · ")}}
	for _, name := range []string{rule.FieldTags, rule.FieldExtensions} {
		f := entry.FieldByName(name)
		value := sources[0].Text(f)
		if !slices.ContainsFunc(sources, func(s *source) bool { return s.Text(f) != value }) {
			list := sources[0].Tags.Or(nil)
			if name == rule.FieldExtensions {
				list = edit.LabelExtensions(sources[0].Extensions.Or(nil))
			}
			value = cmp.Or(strings.Join(list, ", "), "none")
		} else {
			value = "not the same for all files"
		}
		facts = append(facts, [2]string{f.Label, value})
	}
	return facts
}

func (m *Model) hand(sources []*source) tea.Cmd {
	if m.sending || len(sources) == 0 {
		return nil
	}
	jobs, batch := make([]job.Job, len(sources)), session.NewBatch(time.Now())
	for i, s := range sources {
		s.failed = nil
		jobs[i] = job.Job{
			Profile: m.o.Profile.Name, Upload: s.upload(), Naming: s.Naming,
			JobWebhook: s.Webhook(m.o.Profile.Receiver), Batch: batch,
		}
		if s.known.inspected && s.known.err == nil {
			jobs[i].Identity = s.known.identity
		}
	}
	m.stopSearch()
	m.sending, m.total = true, nil
	m.Overlays().CloseAll()
	ctx, send, letGo := m.o.Context, m.o.Session.Send, m.keepOthers(sources)
	return func() tea.Msg {
		for i := range jobs {
			if j := &jobs[i]; j.Identity == (api.Identity{}) && j.Upload.Source.Path != "" {
				j.Identity, _ = api.Identify(j.Upload.Source.Path) // sending reports a missing file
			}
			job.ApplyNaming(&jobs[i].Upload, jobs[i].Naming)
		}
		queued, err := send(ctx, jobs)
		if err == nil {
			letGo()
		}
		return page.Then(func() tea.Cmd { return m.queued(sources, queued, err) })
	}
}

// queued removes the sources of the accepted jobs from the form.
func (m *Model) queued(sources []*source, jobs []job.Job, err error) tea.Cmd {
	m.sending = false
	m.unkept = m.unkept || m.touched
	var cmds []tea.Cmd
	if err != nil {
		cmds = append(cmds, page.Send(page.Problem(fmt.Errorf("not queued: %w", err))))
	}
	if len(jobs) > 0 {
		cmds = append(cmds, page.Send(page.Sent{Jobs: jobs}))
		count := map[api.Source]int{}
		for _, j := range jobs {
			count[j.Upload.Source]++
		}
		gone := map[*source]bool{}
		for _, s := range sources {
			count[s.Source]--
			gone[s] = count[s.Source] >= 0
		}
		m.setSources(m.without(gone))
	}
	if err == nil && !m.hidden {
		cmds = append(cmds, page.Send(page.Show{ID: page.Uploads}))
	}
	return tea.Batch(cmds...)
}

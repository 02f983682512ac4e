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
		m.refusal = page.Toast{Level: page.Bad, Text: "Not sent. " + c.text, Detail: c.help}
		if r := m.Form.Row(c.field); r != nil && c.field != "name" && len(m.Items) == 1 { // its row says it
			m.refusal.Text, m.refusal.Detail = "Not sent. Correct this: "+r.Label+".", c.text+" "+c.help
		}
		return page.Send(m.refusal)
	}
	if taken := slices.DeleteFunc(slices.Clone(m.Items),
		func(s *source) bool { return !m.taken(s) }); len(taken) > 0 {
		return m.askTaken(taken, map[*source]bool{}, len(taken) > 1)
	}
	if len(m.Items) == 1 && t.losses == 0 {
		return m.hand(m.Items)
	}
	words := ""
	switch {
	case t.losses > 0 && len(m.Items) == 1:
		words = "The stored file loses: " + m.losses(m.Items) + "."
	case t.losses > 0:
		words = text.Plural(t.losses, "file") + " can take something from a file at the same place.\n"
	case !slices.ContainsFunc(m.Items, func(s *source) bool { return !m.plain(s) }):
		words = "All are new files: nothing is replaced."
	}
	send := page.Choice{
		Label: "Send", Key: "s", Default: t.losses == 0, Danger: t.losses > 0,
		Do: func() tea.Cmd { return m.hand(m.Items) },
	}
	return page.Send(page.Ask{
		Title:   "Send " + text.Plural(len(m.Items), "file") + "?",
		Text:    strings.TrimSpace(words),
		Facts:   append([][2]string{{"Account", m.o.Profile.Name + " · " + host(m.o.Profile)}, {"Size", size(m.Items)}}, shared(m.Items)...),
		Choices: []page.Choice{{Label: "Not yet", Key: "n"}, send}, Drawing: m.Review(m.Items),
	})
}

// askTaken asks what to do about names that are taken, for all or for the first file, until none is
// left: first about files of another size than those stored, then about the others. Then it sends all but those
// to skip.
func (m *Model) askTaken(taken []*source, skip map[*source]bool, all bool) tea.Cmd {
	alike := func(s *source) bool {
		return s.known.inspected && m.locate(s).File.Size.Or(-1) == s.known.identity.Size
	}
	differ := slices.DeleteFunc(slices.Clone(taken), alike)
	taken = slices.Concat(differ, slices.DeleteFunc(slices.Clone(taken), func(s *source) bool { return !alike(s) }))
	s, of, same := taken[0], taken[:1], len(differ) == 0
	if all {
		of = taken[:cmp.Or(len(differ), len(taken))]
	}
	many := len(of) > 1
	decide := func(key, label string, do func(*source)) page.Choice {
		return page.Choice{Key: key, Label: label, Do: func() tea.Cmd {
			for _, s := range of {
				do(s)
			}
			m.Touch(of...)
			if rest := taken[len(of):]; len(rest) > 0 {
				return m.askTaken(rest, skip, all)
			}
			left := m.without(skip)
			if len(left) == 0 {
				return page.Tell(page.Info, "All files were skipped; nothing was sent.")
			}
			if len(skip) == 0 {
				return m.hand(left)
			}
			return tea.Batch(m.hand(left), page.Tell(page.Info, "Skipped "+text.Plural(len(skip), "file")+": still in the form of screen "+page.Picker.Key+"."))
		}}
	}
	losses, version := m.losses(of), "New version"+text.If(many, "s")
	overwrite, keepable := entry.FieldByName(rule.FieldOverwriteFile), m.keepable(of)
	choices := []page.Choice{
		{Label: "Not yet", Key: "n"},
		decide("v", version, func(s *source) { s.SetText(overwrite, "true") }),
		decide("u", "Keep both", func(s *source) { s.Naming = job.NameHere }),
		decide("k", "Skip", func(s *source) { skip[s] = true }),
	}
	choices[1].Danger = losses != ""
	choices[2].Default, choices[3].Default = !same, same
	words := "A new version keeps the stored file as an earlier one. Keep both adds a suffix to the name."
	if len(m.Items) > 1 {
		words += " Skip leaves yours in the form."
	} else {
		choices = choices[:3] // Not yet does the same as to skip
		choices[0].Default = !choices[2].Default
	}
	if len(keepable) > 0 {
		choices = slices.Insert(choices, 2, decide("g", version+", keep "+keeps(keepable[:1])+text.If(len(keepable) > 1, " and more"), func(s *source) {
			s.SetText(overwrite, "true")
			s.keep(keepable)
		}))
	}
	if many || !all && len(taken) > 1 {
		choices = append(choices, page.Choice{
			Key: text.Either(all, "e", "o"), Label: text.Either(all, "Ask each", "Ask once"),
			Do: func() tea.Cmd { return m.askTaken(taken, skip, !all) },
		})
	}
	words = text.If(losses != "", "With "+text.Either(many, "new versions, the stored files lose: ", "a new version, the stored file loses: ")+losses+".\n") + words
	if same {
		words = text.Either(many, "All are", "It is") + " as large as yours, and may be the same.\n" + words
	} else if n := len(taken) - len(differ); all && n > 0 {
		words = "You are asked about " + text.Plural(n, "file") + " of the same size as yours next.\n" + words
	}
	if n := len(m.Items) - len(skip) - len(taken); n > 0 {
		words += "\n" + text.Plural(n, "other file") + " will be sent."
	}
	pair := func(s *source, name string) (yours, stored edit.Tile) {
		yours, stored = m.TileOf(s), edit.Tile{Name: "Stored", Words: "no picture"}
		if yours.Name = name; m.locate(s).File.IsImage() {
			stored.Picture = edit.ThumbOf(*m.locate(s).File, m.o.Session.Thumb)
		}
		return yours, stored
	}
	ask := page.Ask{Choices: choices, Text: words}
	if many {
		ask.Title = text.Count(len(of)) + " of " + text.Plural(len(m.Items), "name") + " exist already" + text.If(len(of) < len(taken), ", and differ")
		var pairs []edit.Tile
		for _, s := range of[:text.Either(len(of) > mostPairs, 0, len(of))] {
			yours, stored := pair(s, s.storedName())
			pairs = append(pairs, yours, stored)
		}
		ask.Drawing = m.Review(of[:text.Either(len(of) > mostPairs, len(of), 0)], pairs...)
		return page.Send(ask)
	}
	ask.Title = text.TruncateMiddle(text.Safe(rule.PathOf(&s.Upload)), 48) + " exists already" + text.If(len(taken) > 1, " · "+text.Count(len(taken)-1)+" more")
	file := m.locate(s).File
	yours, stored := pair(s, "Yours")
	ask.Facts = [][2]string{
		{"Yours", strings.Join(facts(s), "")},
		{"Stored", edit.FactsOf(file, edit.Uploaded(file, m.o.Now()))[0]},
	}
	ask.Drawing = m.Review(nil, yours, stored)
	return page.Send(ask)
}

// mostPairs is how many pictures are shown beside the stored ones.
const mostPairs = 2

// losses counts what new versions take from files, such as "region of 3 files, tags (sea)", or "2 tags (sea, beach),
// region" of one file; empty for nothing.
func (m *Model) losses(of []*source) string {
	count, had, tags := map[rule.Aspect]int{}, map[rule.Aspect]int{}, []string{}
	for _, s := range of {
		file := cmp.Or(m.locate(s).File, new(api.File))
		for _, l := range m.decision(s).out.Lines() {
			count[l.Loss]++
			if had[l.Loss] = l.Had; l.Loss == rule.AspectTags {
				tags = append(tags, file.Tags.Or(nil)...)
			}
		}
		tags = slices.DeleteFunc(tags, func(tag string) bool { return slices.Contains(s.Tags.Or(nil), tag) })
	}
	delete(count, "")
	var parts []string
	tags = slices.Compact(slices.Sorted(slices.Values(tags)))
	for _, aspect := range slices.Sorted(maps.Keys(count)) {
		named := text.If(aspect == rule.AspectTags && len(tags) > 0, " ("+text.List(tags, 24)+")")
		if single, counted := strings.CutSuffix(string(aspect), "s"); counted && had[aspect] > 0 && len(of) == 1 {
			parts = append(parts, text.Plural(had[aspect], single)+named)
			continue
		}
		parts = append(parts, string(aspect)+named+text.If(count[aspect] < len(of), " of "+text.Plural(count[aspect], "file")))
	}
	return strings.Join(parts, ", ")
}

// size is the size of sources, as far as known.
func size(sources []*source) string {
	var size int64
	least := ""
	for _, s := range sources {
		size += s.known.identity.Size
		least = text.Either(s.known.inspected || s.Source.URL != "", least, "at least ")
	}
	return text.If(size > 0, least+text.Bytes(size)) // that of a URL is not known
}

// shared lists the folders, tags and extensions of sources, and the regions and descriptions if there are
// any, with how many have them, and which names change.
func shared(sources []*source) [][2]string {
	const renamed = "Stored as"
	var facts [][2]string
	for i, row := range []struct {
		label string
		of    func(*source) []string
	}{
		{"Folder", func(s *source) []string { return []string{s.folder()} }},
		{"Tags", func(s *source) []string { return s.Tags.Or(nil) }},
		{"Extensions", func(s *source) []string { return rule.Mapped(s.Extensions.Or(nil), edit.LabelExtension) }},
		{"Region", func(s *source) []string { return []string{text.If(s.Region() != "", "drawn")} }},
		{"Description", func(s *source) []string { return []string{s.Text(entry.FieldByName(rule.FieldDescription))} }},
		{renamed, func(s *source) []string {
			stored := rule.StoredName(s.FileName)
			return []string{text.If(stored != s.FileName, s.FileName+" → "+stored)}
		}},
	} {
		count := map[string]int{}
		var list []string
		for _, s := range sources {
			for _, value := range row.of(s) {
				if count[value]++; count[value] == 1 && value != "" {
					list = append(list, value)
				}
			}
		}
		slices.SortStableFunc(list, func(a, b string) int { return count[b] - count[a] })
		for i, value := range list {
			if row.label != renamed { // each name is of one file
				list[i] = strings.TrimSpace(value + " " + edit.OfMany(count[value], len(sources)))
			}
		}
		if len(list) > 0 || i < 3 {
			facts = append(facts, [2]string{row.label, cmp.Or(text.List(list, 90), "none")})
		}
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

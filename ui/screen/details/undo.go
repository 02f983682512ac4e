package details

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// replayedMsg has the files after an undo or a redo, or why there are none.
type replayedMsg struct {
	again againMsg
	list  []session.Edited
	at    time.Time
	err   error
}

// againMsg says that a person wants something undone or redone.
type againMsg struct {
	id   string
	redo bool
	over session.Policy
}

func (a againMsg) did() string {
	if a.redo {
		return "Redone"
	}
	return "Undone"
}

// undo takes the newest change of the current file back.
func (m *Model) undo() tea.Cmd { return m.again(againMsg{id: m.current().file.FileID}) }

// redo makes it again.
func (m *Model) redo() tea.Cmd {
	return m.again(againMsg{id: m.current().file.FileID, redo: true})
}

func (m *Model) again(a againMsg) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	m.busy = "Taking back…"
	do := m.o.Session.Undo
	if a.redo {
		m.busy, do = "Making it again…", m.o.Session.Redo
	}
	ctx, now := m.o.Context, m.now
	return func() tea.Msg {
		list, err := do(ctx, a.id, a.over)
		return replayedMsg{a, list, now(), err}
	}
}

// replayed shows what came of an undo or a redo.
func (m *Model) replayed(msg replayedMsg) tea.Cmd {
	m.busy = ""
	var elsewhere *session.ConflictError
	if errors.As(msg.err, &elsewhere) {
		return m.askAgain(msg.again, elsewhere)
	}
	if msg.err != nil {
		if e := m.entryOf(msg.again.id); e != nil {
			e.problem = msg.err
		}
		return nil
	}
	if len(msg.list) == 0 {
		return toast(page.Info, "There is nothing more to "+verb(msg.again)+".")
	}
	return m.tookOver(msg.list, msg.at, msg.again.did(), nil)
}

func verb(a againMsg) string {
	if a.redo {
		return "redo"
	}
	return "undo"
}

// askAgain asks what to do where others changed the same meanwhile.
func (m *Model) askAgain(a againMsg, found *session.ConflictError) tea.Cmd {
	verb := text.Capital(verb(a))
	var lines []string
	for i, c := range found.Conflicts {
		if i == 6 {
			lines = append(lines, fmt.Sprintf("and %d more", len(found.Conflicts)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%s: %s was left as %s and is %s now", c.Name, c.Field, orUnset(c.Left), orUnset(c.Now)))
	}
	mine, theirs := a, a
	mine.over, theirs.over = session.Ours, session.Theirs
	return page.Send(page.Ask{
		Title: "Changed elsewhere since",
		Text:  strings.Join(lines, "\n"),
		Choices: []page.Choice{
			{Label: "Leave it", Key: "l"},
			{Label: verb + " the rest", Key: "t", Msg: theirs},
			{Label: verb + " all the same", Key: "u", Danger: true, Msg: mine},
		},
	})
}

func orUnset(text string) string {
	if text == "" {
		return notSet
	}
	return text
}

// tookOver takes the records after a step over and tells everybody. Sent are the
// drafts that the step was made of, by file; nil: there were none.
func (m *Model) tookOver(list []session.Edited, at time.Time, did string, sent map[string]drafts) tea.Cmd {
	var cmds []tea.Cmd
	var good []string
	var bad []string
	single := ""
	for _, done := range list {
		e := m.entryOf(done.FileID)
		label := done.FileID
		if e != nil {
			label = name(&e.file)
		}
		if done.Err != nil {
			bad = append(bad, label+": "+done.Err.Error())
			if e != nil {
				e.problem = done.Err
			}
			continue
		}
		news := *done.File
		if e != nil {
			if drafted, ok := sent[done.FileID]; ok {
				e.settle(drafted)
			}
			e.problem = nil
			before := e.file
			e.rebase(news, at)
			news = e.file
			single = strings.Join(append(actWords(&before, &e.file), difference(&before, &e.file)...), "; ")
		} else if news.Name != "" {
			label = news.Name
		}
		good = append(good, label)
		cmds = append(cmds, page.Send(page.FileChanged{File: news}))
	}
	m.load()
	cmds = append(cmds, page.Send(outcome(did, good, bad, single)))
	return tea.Batch(cmds...)
}

// actWords say what acts on the whole file made of it: another place, another
// version.
func actWords(before, after *api.File) []string {
	var words []string
	if before.FilePath != after.FilePath {
		words = append(words, before.FilePath+" -> "+after.FilePath)
	}
	if was, is := before.VersionInfo, after.VersionInfo; was != nil && is != nil && was.ID != is.ID {
		words = append(words, was.Name+" -> "+is.Name)
	}
	return words
}

// outcome says what came of a step: of one file what changed, of several how
// many, with every failure to be read.
func outcome(did string, good, bad []string, single string) page.Toast {
	switch {
	case len(good) == 1 && len(bad) == 0:
		if single == "" {
			single = "it is as it was"
		}
		done := page.Toast{Level: page.Good, Text: did + " " + good[0] + ".", Detail: single}
		if len(single) <= shortWords {
			done.Text += " " + single + "."
		}
		return done
	case len(bad) == 0:
		return page.Toast{Level: page.Good, Text: did + " " + text.Plural(len(good), "file") + ".", Detail: strings.Join(good, "\n")}
	}
	words := fmt.Sprintf("%s %s; %s failed and keep what was not saved.", did, text.Plural(len(good), "file"), text.Plural(len(bad), "file"))
	if len(good) == 0 {
		words = fmt.Sprintf("None of %s: each keeps what was not saved.", text.Plural(len(bad), "file"))
	}
	return page.Toast{Level: page.Warn, Text: words, Detail: strings.Join(bad, "\n")}
}

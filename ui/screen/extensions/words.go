package extensions

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// sign returns the sign of a status.
func sign(s api.Status) theme.Sign {
	switch s {
	case api.StatusPending:
		return theme.SignWait
	case api.StatusSuccess:
		return theme.SignGood
	case api.StatusFailed:
		return theme.SignBad
	}
	return theme.SignUnknown
}

// age returns the duration of a pending run, or the age of its result.
func age(run *api.Run, now time.Time) string {
	if !run.Status.Final() {
		return text.Duration(now.Sub(run.Started))
	}
	return text.Age(run.At, now)
}

// known describes the source of a status.
func (m *Model) known(run *api.Run) string {
	switch run.From {
	case api.FromWebhook:
		return "webhook" // the column before has the age, the pane the date
	case api.FromDetails:
		if words := m.runs.seen[run.ID]; words != "" {
			return "seen in details: " + words
		}
		return "seen in details"
	}
	if run.From == api.FromRequest {
		return "the request; no status in its answer"
	}
	return run.From
}

// news returns the last column: the source of the result, or what will provide it.
func (m *Model) news(run *api.Run, now time.Time) string {
	if !run.Status.Final() {
		short, _ := m.ahead(run, now)
		return short
	}
	words := m.known(run)
	if run.Denied != "" {
		words = "a later post says " + string(run.Denied) + "; " + words
	}
	if run.Error != "" {
		words += ": " + run.Error
	}
	return words
}

// ahead describes how the result of a pending run will arrive, briefly and in a sentence.
func (m *Model) ahead(run *api.Run, now time.Time) (short, long string) {
	next, looked := m.runs.next[run.ID]
	looked = looked && showsEffect(run)
	hooked := run.Webhook && now.Sub(run.Started) < session.HookLife
	when := text.If(looked, text.In(next, now))
	if quiet(run, now) {
		if short, long := m.noNews(run, now, when, looked, hooked); short != "" {
			return short, long
		}
	}
	switch {
	case looked && hooked:
		return "next check " + when + ", or a webhook", "A webhook or the file's details will show the result: next check " + when + "."
	case looked:
		return "next check " + when, "No webhook was requested. mediadesk checks the file's details: next check " + when + "."
	case hooked:
		return "waits for a webhook", "Only a webhook can show the result."
	case run.Webhook:
		return "no news in 25 h: unknown", "No webhook arrived within 25 h, and late ones are not accepted. Check the file's details (i)."
	}
	return "the result stays unknown", "The result stays unknown: no webhook was requested, and the file's details do not show it. Check the file (i)."
}

// noNews explains a long silence. Only webhooks report failures; polling cannot see them.
func (m *Model) noNews(run *api.Run, now time.Time, when string, looked, hooked bool) (short, long string) {
	since := text.Duration(now.Sub(lastNews(run)))
	if d := now.Sub(lastNews(run)); d < time.Hour {
		since = fmt.Sprintf("%d min", int(d.Minutes()))
	}
	silence := "no news for " + since
	switch last := m.runs.looked[run.ID]; {
	case looked && last.err != nil:
		short = silence + "; the last check failed, next " + when
		long = "No news for " + since + ", and the last check of the file failed: " + last.err.Error() + ". Next check " + when + "."
	case looked && hooked:
		short = silence + "; only a webhook would report a failure"
		long = "No news for " + since + ". The file does not show success; only a webhook would report a failure. Next check " + when + "."
	case looked:
		short = silence + "; a failure would not be reported"
		long = "No news for " + since + ". Only a webhook would report a failure, and none was requested: it may have failed. Next check " + when + "."
	case hooked:
		short = silence + "; waits for a webhook"
		long = "No news for " + since + ". Only a webhook can show the result; the service repeats a lost one for up to 24 h."
	}
	return short, long
}

// options returns the requested options as JSON, or "" if none or unknown.
func options(run *api.Run) string {
	if run.Asked == nil {
		return ""
	}
	bare := *run.Asked
	bare.Name = ""
	text, err := json.Marshal(bare)
	if err != nil || string(text) == `{"name":""}` {
		return ""
	}
	if text, err = json.Marshal(run.Asked); err != nil {
		return ""
	}
	return string(text)
}

// showsEffect reports whether a record can show that the extension is done.
func showsEffect(run *api.Run) bool {
	return api.IsTagging(run.Extension) || run.Extension == api.RemoveBackground || run.Extension == api.AutoDescription ||
		run.Extension == api.AITasks && run.Asked != nil
}

// effect describes what in a record showed the end of a run.
func effect(run *api.Run, events []api.RunEvent) string {
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i]
		var file api.File
		if e.From != api.FromDetails || !e.Applied || json.Unmarshal(e.Raw, &file) != nil {
			continue
		}
		switch {
		case api.IsTagging(run.Extension):
			n := 0
			for _, tag := range file.AITags.Or(nil) {
				if tag.Source == run.Extension {
					n++
				}
			}
			return text.Plural(n, "AI tag")
		case run.Extension == api.RemoveBackground && file.HasAlpha.Or(false):
			return "it has transparency now"
		case run.Extension == api.RemoveBackground:
			return "a new version"
		case run.Extension == api.AutoDescription:
			return "a description"
		case run.Extension == api.AITasks:
			return "its tags or custom metadata"
		}
	}
	return ""
}

// verdict explains why an event had no effect on the run.
func verdict(run *api.Run, e *api.RunEvent, ended bool) string {
	if e.Applied {
		return ""
	}
	if post, err := api.ParseHookPost(e.Raw); err == nil && post.FileID != "" && post.FileID != run.FileID {
		return "ignored: it names another file"
	}
	switch {
	case !e.Status.Final():
		return "ignored: the run continues"
	case ended:
		return "ignored: the run was finished"
	}
	return "nothing was changed"
}

// pretty indents JSON and leaves other text unchanged.
func pretty(raw []byte) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if json.Valid(raw) && enc.Encode(json.RawMessage(raw)) == nil {
		return strings.TrimRight(out.String(), "\n")
	}
	return string(raw)
}

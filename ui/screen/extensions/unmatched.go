package extensions

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// unmatchedRead are the webhooks that match no run.
type unmatchedRead struct{ posts []api.UnmatchedPost }

func (m *Model) readUnmatched() tea.Cmd {
	w, ctx := m.o.Watch, m.o.Context
	return func() tea.Msg {
		posts, err := w.Unmatched(ctx)
		if err != nil {
			return page.Problem(err)
		}
		return unmatchedRead{posts}
	}
}

// openUnmatched shows them in full, unless the user went on meanwhile.
func (m *Model) openUnmatched(posts []api.UnmatchedPost) {
	if !m.Capturing() && m.Overlays().Top() == nil {
		m.Overlays().Open(kit.NewReader("Webhooks that match no run", unmatchedText(posts, m.o.Now())))
	}
}

func unmatchedText(posts []api.UnmatchedPost, now time.Time) string {
	if len(posts) == 0 {
		return "No unmatched webhooks: each belongs to a run now."
	}
	var b strings.Builder
	b.WriteString("These webhooks changed nothing. They are kept for you to read.\n")
	for i := range posts {
		p := &posts[i]
		fmt.Fprintf(&b, "\n%s  %s\n", text.Moment(p.At, now), p.Reason)
		var says []string
		if p.Extension != "" || p.Status != "" {
			says = append(says, "it says: "+strings.TrimSpace(p.Extension+" "+string(p.Status)))
		}
		if p.FileID != "" {
			says = append(says, "its address is of the file "+p.FileID)
		}
		if p.Times > 1 {
			says = append(says, fmt.Sprintf("it came %d times", p.Times))
		}
		if len(says) > 0 {
			b.WriteString("  " + strings.Join(says, " · ") + "\n")
		}
		if len(p.Raw) > 0 {
			b.WriteString(pretty(p.Raw) + "\n")
		}
	}
	return b.String()
}

func (m *Model) noUnmatched() string {
	if m.runs.unmatched == 0 {
		return "every webhook belongs to a run"
	}
	return ""
}

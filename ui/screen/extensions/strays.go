package extensions

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// straysRead are the posts that no run took.
type straysRead struct {
	to    *Model
	posts []api.StrayPost
}

func (m *Model) readStrays() tea.Cmd {
	w, ctx := m.o.Watch, m.o.Context
	return func() tea.Msg {
		posts, err := w.Strays(ctx)
		if err != nil {
			return page.Problem(err)
		}
		return straysRead{m, posts}
	}
}

// openStrays shows them whole: nobody should have to believe a number.
func (m *Model) openStrays(posts []api.StrayPost) {
	if m.Capturing() {
		return
	}
	m.reader = kit.NewReader("Posts that no run took", strayWords(posts, m.o.Now()))
}

func strayWords(posts []api.StrayPost, now time.Time) string {
	if len(posts) == 0 {
		return "There are none any more: what came belongs to runs now."
	}
	var b strings.Builder
	b.WriteString("They are kept to be seen and have changed nothing.\n")
	for i := range posts {
		p := &posts[i]
		fmt.Fprintf(&b, "\n%s  %s\n", moment(p.At, now), p.Why)
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

func noStrays(m *Model) string {
	if m.runs.strays == 0 {
		return "every post that came belongs to a run"
	}
	return ""
}

package ui

import (
	"context"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/watch"
	"mediadesk/ui/page"
)

// Desk is everything that is open for the profile in use. Main opens it and
// closes it; the screens work with its parts.
type Desk struct {
	Profile page.Profile
	Client  *api.Client
	Journal *journal.Journal
	Queue   *queue.Queue
	Watch   *watch.Watch

	// Notice is one sentence that the person should read when the desk opens,
	// such as that uploads of last time go on; empty for none.
	Notice string

	// Close closes the parts in the reverse order of their opening. It waits
	// for uploads under way at most until ctx ends; what was not done then
	// waits in the journal.
	Close func(ctx context.Context) error
}

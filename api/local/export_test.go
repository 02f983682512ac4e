package local

import "time"

// PauseForTests makes the outbox wait for d between attempts until the
// returned function is called. No library may be open at either moment.
func PauseForTests(d time.Duration) (restore func()) {
	before := pauseAfter
	pauseAfter = func(int) time.Duration { return d }
	return func() { pauseAfter = before }
}

// PostPause is how long the outbox waits after so many attempts.
func PostPause(attempts int) time.Duration { return postPause(attempts) }

// ListenBeyond acts as if the library listened beyond this computer.
func (l *Library) ListenBeyond(yes bool) { l.public.Store(yes) }

// WaitForTags sets how long an answer waits for tagging; before any request.
func (l *Library) WaitForTags(d time.Duration) { l.tagWait = d }

// OneTransactionEach gives each update a transaction of its own, as what is
// measured is compared with; before any request.
func (l *Library) OneTransactionEach() {
	l.records.(interface{ SetGroup(most int) }).SetGroup(1)
}

// Snapshot makes the snapshot of the records now.
func (l *Library) Snapshot() error { return l.snapshot() }

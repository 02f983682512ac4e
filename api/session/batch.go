package session

import (
	"sync"

	"mediadesk/api"
)

// Batch is the result of jobs sent together.
type Batch struct {
	Total, Stored, Failed int
	Processing            int // the service stores them later
}

// endedBatches holds the batches that ended since the last query.
type endedBatches struct {
	mu  sync.Mutex
	all []Batch
}

func (e *endedBatches) add(jobs []api.Job) {
	b := Batch{Total: len(jobs)}
	for i := range jobs {
		switch {
		case jobs[i].State == api.Stored:
			b.Stored++
		case jobs[i].State == api.Processing:
			b.Processing++
		case jobs[i].Failed():
			b.Failed++
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, b)
}

// EndedBatches returns the batches that ended since the last call.
func (s *Session) EndedBatches() []Batch {
	s.ended.mu.Lock()
	defer s.ended.mu.Unlock()
	all := s.ended.all
	s.ended.all = nil
	return all
}

package cli

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// While the program starts nearly all that is made lasts: to look for what does not
// takes a third of the time to the first names of a large folder. startTime is how
// long that is put off, and startHeap how far, in percent of what is in use.
const (
	startTime = time.Second
	startHeap = 400
)

// Memory that was used for a while, for pictures or for a large folder, is given
// back to the system where nothing happens: restTime is how often that is looked at,
// quietBytes what is used in that time where nobody does anything, and worthBytes
// from how much on it is worth the work.
const (
	restTime   = 3 * time.Second
	quietBytes = 4 << 20
	worthBytes = 4 << 20
)

// Thrift hurries for the start, and is careful with memory from then on, until ctx
// ends.
func Thrift(ctx context.Context) {
	usual := debug.SetGCPercent(startHeap)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(startTime):
		}
		debug.SetGCPercent(usual)
		debug.FreeOSMemory()
		looks := time.NewTicker(restTime)
		defer looks.Stop()
		var s spending
		s.gaveBack()
		for {
			select {
			case <-ctx.Done():
				return
			case <-looks.C:
			}
			if s.look() {
				debug.FreeOSMemory()
				s.gaveBack()
			}
		}
	}()
}

// spending is what the program uses, as it was looked at last.
type spending struct {
	made uint64 // bytes, since the beginning
	kept uint64 // bytes of the system's that there were when memory was given back
}

// look tells whether there is memory to give back and nobody who needs it.
func (s *spending) look() bool {
	made, held := heap()
	quiet := made-s.made < quietBytes
	s.made = made
	return quiet && held > s.kept+worthBytes
}

// gaveBack notes that it was given back.
func (s *spending) gaveBack() { s.made, s.kept = heap() }

// heap is what was made on the heap since the beginning, and what the heap holds of
// the system's memory, in bytes.
func heap() (made, held uint64) {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	for _, one := range samples[1:] {
		held += one.Value.Uint64()
	}
	return samples[0].Value.Uint64(), held
}

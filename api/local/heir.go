package local

import (
	"context"
	"net/url"
	"os"
	"sync"
	"time"
)

// How often an heir looks whether word of the process that serves is still
// there, which that takes along when it ends in good order, and how often it
// asks the process itself.
const (
	heirLooks = 250 * time.Millisecond
	heirAsks  = time.Second
)

// Heir serves a library as soon as the process that served it has ended.
type Heir struct {
	stop context.CancelFunc
	done sync.WaitGroup

	server *Server // nil: it was never needed
}

// Inherit waits for the process that serves the library of o at address to end,
// in good order or not, and then serves it at the very same address: who uses
// it there notices a pause, and what was pending goes on. Of several heirs one
// does; the others wait on.
func Inherit(address string, o Options) *Heir {
	ctx, stop := context.WithCancel(context.Background())
	h := &Heir{stop: stop}
	h.done.Go(func() { h.wait(ctx, address, o) })
	return h
}

func (h *Heir) wait(ctx context.Context, address string, o Options) {
	u, err := url.Parse(address)
	if err != nil {
		return // nobody could use it there
	}
	tick := time.NewTicker(heirLooks)
	defer tick.Stop()
	var asked time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := os.Stat(ownerPath(o.Dir)); err == nil {
			if time.Since(asked) < heirAsks {
				continue
			}
			asked = time.Now()
			if _, served := Find(o.Dir); served {
				continue
			}
		}
		// The folder or the port may be another's: it is tried again.
		if s, err := Serve(context.WithoutCancel(ctx), u.Host, o); err == nil {
			h.server = s
			return
		}
	}
}

// Close ends the waiting, or the serving.
func (h *Heir) Close() error {
	h.stop()
	h.done.Wait()
	if h.server == nil {
		return nil
	}
	return h.server.Close()
}

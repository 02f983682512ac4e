package local

import (
	"context"
	"net/url"
	"os"
	"sync"
	"time"
)

// A standby checks this often for the file that names the process that serves,
// which that process removes when it ends in good order, and asks the process
// itself this often.
const (
	standbyChecks = 250 * time.Millisecond
	standbyAsks   = time.Second
)

// Standby serves a library as soon as the process that served it has ended.
type Standby struct {
	stop context.CancelFunc
	done sync.WaitGroup

	server *Server // nil: it was never needed
}

// StandBy waits for the process that serves the library of o at address to end,
// in good order or not, and then serves it at the same address: its users notice
// a pause, and pending work goes on. Of several standbys one takes over; the
// others keep waiting.
func StandBy(address string, o Options) *Standby {
	ctx, stop := context.WithCancel(context.Background())
	s := &Standby{stop: stop}
	s.done.Go(func() { s.wait(ctx, address, o) })
	return s
}

func (s *Standby) wait(ctx context.Context, address string, o Options) {
	u, err := url.Parse(address)
	if err != nil {
		return // no client could use it there
	}
	tick := time.NewTicker(standbyChecks)
	defer tick.Stop()
	var asked time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := os.Stat(ownerPath(o.Dir)); err == nil {
			if time.Since(asked) < standbyAsks {
				continue
			}
			asked = time.Now()
			if _, served := Find(o.Dir); served {
				continue
			}
		}
		// If another process has the folder or the port, try again.
		if server, err := Serve(context.WithoutCancel(ctx), u.Host, o); err == nil {
			s.server = server
			return
		}
	}
}

// Close ends the waiting, or the serving.
func (s *Standby) Close() error {
	s.stop()
	s.done.Wait()
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}

package local

import (
	"context"
	"net/url"
	"os"
	"sync"
	"time"
)

// Intervals at which a standby checks owner.json, which the serving process removes at its end, and
// that process itself.
const (
	standbyChecks = 250 * time.Millisecond
	standbyAsks   = time.Second
)

// Standby serves a library when the serving process ends.
type Standby struct {
	stop context.CancelFunc
	done sync.WaitGroup

	server *Server // nil until needed
}

// StandBy waits until the process that serves the library of o at address ends or crashes, and
// then serves it at the same address. Users notice a pause, and pending work continues. Of several
// standbys one takes over and the others keep waiting. It calls changed with the faults of the
// process that serves, in the format of Fault.String, whenever they may have changed.
func StandBy(address string, o Options, changed func(faults string)) *Standby {
	ctx, stop := context.WithCancel(context.Background())
	s := &Standby{stop: stop}
	s.done.Go(func() { s.wait(ctx, address, o, changed) })
	return s
}

func (s *Standby) wait(ctx context.Context, address string, o Options, changed func(string)) {
	u, err := url.Parse(address)
	if err != nil {
		return // no client could use it
	}
	tick := time.NewTicker(standbyChecks)
	defer tick.Stop()
	var asked time.Time
	var known string
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
			if _, faults, served := Find(o.Dir); served {
				if faults != known {
					known = faults
					changed(faults)
				}
				continue
			}
		}
		// Try again if another process has the folder or the port.
		if server, err := Serve(context.WithoutCancel(ctx), u.Host, o); err == nil {
			s.server = server
			changed(o.Fault.String())
			return
		}
	}
}

// Close stops waiting or serving.
func (s *Standby) Close() error {
	s.stop()
	s.done.Wait()
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}

package watch

import (
	"context"
	"net"
	"slices"
	"time"
)

// listen listens on address or, if its port is taken, on a free port of the same host.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err == nil {
		return l, nil
	}
	host, _, split := net.SplitHostPort(address)
	if split != nil {
		return nil, err
	}
	if other, second := config.Listen(ctx, "tcp", net.JoinHostPort(host, "0")); second == nil {
		return other, nil
	}
	return nil, err
}

// usual returns the preferred address of the receiver. If the settings leave the port open, it is at,
// the actual address.
func (w *Watch) usual(at string) string {
	_, port, err := net.SplitHostPort(w.o.Listen)
	host, _, bad := net.SplitHostPort(at)
	if err != nil || bad != nil || port == "0" {
		return at
	}
	return net.JoinHostPort(host, port)
}

// other is an earlier receiver, of a previous start of this program or of another that shared the
// journal. Services know its addresses.
type other struct {
	listener net.Listener // our listener in its place; nil if the port is taken
	looked   time.Time    // last check of who uses the port
	lost     bool         // the port is taken by a program that does not know our addresses
}

// The intervals for checking the addresses of earlier receivers, and who uses a taken one.
const (
	stepInTime = 3 * time.Second
	askTime    = 5 * time.Minute
)

// maxOthers is the maximum number of earlier receivers to replace.
const maxOthers = 16

// listenForEarlier listens, until ctx ends, at the addresses of earlier receivers where webhooks are still
// expected: a webhook address lives longer than the program that made it.
func (w *Watch) listenForEarlier(ctx context.Context) {
	tick := time.NewTicker(stepInTime)
	defer tick.Stop()
	for {
		w.listenAgain(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// listenAgain listens on free addresses and closes those where no posts are expected.
func (w *Watch) listenAgain(ctx context.Context) {
	wanted, err := w.o.Journal.HookListens(ctx, w.o.Now())
	if err != nil {
		return // retried later
	}
	own := w.Addr()
	wanted = slices.DeleteFunc(wanted, func(at string) bool { return at == own || !w.mayListen(at) })
	wanted = wanted[:min(len(wanted), maxOthers)]
	w.mu.Lock()
	for at, o := range w.others {
		if !slices.Contains(wanted, at) {
			if o.listener != nil {
				o.listener.Close()
			}
			delete(w.others, at)
		}
	}
	w.mu.Unlock()
	for _, at := range wanted {
		w.listenAt(ctx, at)
	}
}

// mayListen reports whether the settings let us listen on the host of at.
func (w *Watch) mayListen(at string) bool {
	host, _, err := net.SplitHostPort(at)
	ours, _, bad := net.SplitHostPort(w.Addr())
	return err == nil && bad == nil && host == ours
}

// listenAt listens on an address, or checks who uses it.
func (w *Watch) listenAt(ctx context.Context, at string) {
	w.mu.Lock()
	o := w.others[at]
	if o == nil {
		o = &other{}
		w.others[at] = o
	}
	taken, due := o.listener == nil, w.o.Now().Sub(o.looked) >= askTime
	server := w.server
	w.mu.Unlock()
	if !taken {
		return
	}
	if l, err := new(net.ListenConfig).Listen(ctx, "tcp", at); err == nil {
		w.mu.Lock()
		o.listener, o.lost = l, false
		w.mu.Unlock()
		// Serve ends with its listener, so its error does not matter.
		w.work.Go(func() { server.Serve(l) }) //nolint:errcheck // see above
		w.signal()
		return
	}
	if !due {
		return
	}
	// Another mediadesk with the same journal can accept our webhooks.
	lost := w.Probe(ctx, "http://"+at) != nil
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	changed := o.lost != lost
	o.looked, o.lost = w.o.Now(), lost
	w.mu.Unlock()
	if changed {
		w.signal()
	}
}

// Lost returns the addresses, as HOST:PORT, at which webhooks of pending runs are expected but a
// program listens that does not know them: such webhooks are lost.
func (w *Watch) Lost() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for at, o := range w.others {
		if o.lost {
			all = append(all, at)
		}
	}
	slices.Sort(all)
	return all
}

package watch

import (
	"context"
	"net"
	"slices"
	"time"
)

// listen takes the address, or where its port is taken, any free port of the
// same host.
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

// usual is where the receiver listens where nothing is in its way; at is where
// it does listen, for settings that leave the port open.
func (w *Watch) usual(at string) string {
	_, port, err := net.SplitHostPort(w.o.Listen)
	host, _, bad := net.SplitHostPort(at)
	if err != nil || bad != nil || port == "0" {
		return at
	}
	return net.JoinHostPort(host, port)
}

// other is a receiver of before: one of this program when it ran last, or of
// another that shared the journal. Its addresses are known to services.
type other struct {
	listener net.Listener // ours, in its place; nil: the port is taken
	looked   time.Time    // when it was found out last who has the port
	lost     bool         // taken by a program that does not know our addresses
}

// How often the places of receivers of before are looked at, and how often it
// is asked who has one that is taken.
const (
	stepInTime = 3 * time.Second
	askTime    = 5 * time.Minute
)

// maxOthers is how many receivers are stepped in for.
const maxOthers = 16

// stepIn listens where receivers of before listened that posts are still
// expected at, until ctx ends: an address lives longer than the program that
// gave it away.
func (w *Watch) stepIn(ctx context.Context) {
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
		return // asked again
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

// mayListen reports whether at is of the host that the settings let us listen
// at.
func (w *Watch) mayListen(at string) bool {
	host, _, err := net.SplitHostPort(at)
	ours, _, bad := net.SplitHostPort(w.Addr())
	return err == nil && bad == nil && host == ours
}

// listenAt listens at one place, or finds out who does.
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
		// It ends with its listener; what it says then is no news.
		w.work.Go(func() { server.Serve(l) }) //nolint:errcheck // see above
		w.signal()
		return
	}
	if !due {
		return
	}
	// Another mediadesk with the same journal takes our posts as well as we do.
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

// Lost are the places, as HOST:PORT, at which posts of pending runs are
// expected and somebody else listens who does not know them: such posts do not
// come here.
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

package local

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is what goes wrong on purpose, for trying out how a client copes. The
// zero Fault is none.
type Fault struct {
	Delay             time.Duration // before every operation
	DropAfter         int64         // bytes of a body after which the connection breaks; 0: never
	RefuseStatus      int           // status of a made-up refusal; 0: none
	RefuseChance      float64       // how often, 0 to 1
	ExtensionsPending bool          // runs never end
	ExtensionsFail    bool          // runs end as failed
	WebhooksLost      bool          // webhook posts are thrown away
}

// ParseFault reads faults written as KIND=VALUE: delay=2s, drop-after=BYTES,
// refuse=STATUS[:CHANCE], extensions=pending|fail, webhooks=lost.
func ParseFault(list []string) (Fault, error) {
	var f Fault
	for _, text := range list {
		kind, value, _ := strings.Cut(text, "=")
		if err := f.set(kind, value); err != nil {
			return Fault{}, fmt.Errorf("fault %s: %w", quote(text), err)
		}
	}
	return f, nil
}

func (f *Fault) set(kind, value string) error {
	var err error
	switch kind {
	case "delay":
		f.Delay, err = time.ParseDuration(value)
		if err != nil || f.Delay < 0 {
			return fmt.Errorf("the delay is a time such as 500ms or 2s")
		}
	case "drop-after":
		f.DropAfter, err = strconv.ParseInt(value, 10, 64)
		if err != nil || f.DropAfter < 1 {
			return fmt.Errorf("drop-after is a number of bytes")
		}
	case "refuse":
		status, chance, some := strings.Cut(value, ":")
		f.RefuseStatus, err = strconv.Atoi(status)
		if err != nil || f.RefuseStatus < 400 || f.RefuseStatus > 599 {
			return fmt.Errorf("refuse is a status from 400 to 599, such as 503 or 503:0.3")
		}
		f.RefuseChance = 1
		if some {
			f.RefuseChance, err = strconv.ParseFloat(chance, 64)
			if err != nil || !(f.RefuseChance >= 0 && f.RefuseChance <= 1) {
				return fmt.Errorf("the chance is a number from 0 to 1")
			}
		}
	case "extensions":
		switch value {
		case "pending":
			f.ExtensionsPending = true
		case "fail":
			f.ExtensionsFail = true
		default:
			return fmt.Errorf("extensions are pending or fail")
		}
	case "webhooks":
		if value != "lost" {
			return fmt.Errorf("webhooks are lost")
		}
		f.WebhooksLost = true
	default:
		return fmt.Errorf("the kinds are delay, drop-after, refuse, extensions and webhooks")
	}
	return nil
}

// chance is a source of chances that a seed makes repeatable.
type chance struct {
	mu     sync.Mutex
	source *rand.Rand
}

func newChance(seed uint64) *chance {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &chance{source: rand.New(rand.NewPCG(seed, seed))}
}

func (c *chance) below(p float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.Float64() < p
}

// fault does to a request what the fault dial says.
func (l *Library) fault(r *http.Request) error {
	f := l.o.Fault
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return r.Context().Err()
		case <-l.ctx.Done():
		}
	}
	if f.RefuseStatus != 0 && l.chance.below(f.RefuseChance) {
		return refuse(f.RefuseStatus, "Refused on purpose.", "The fault dial of the local library is on.")
	}
	if f.DropAfter > 0 {
		r.Body = &droppingBody{ReadCloser: r.Body, left: f.DropAfter}
	}
	return nil
}

// droppingBody breaks the connection after so many bytes.
type droppingBody struct {
	io.ReadCloser
	left int64
}

func (b *droppingBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		panic(http.ErrAbortHandler) //nolint:forbidigo // the way net/http gives to break a connection
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

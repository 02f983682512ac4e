package local

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mediadesk/api/local/store"
)

// Fault is what goes wrong on purpose, for trying out how a client copes. The
// zero Fault is none. A chance is how often, up to 1; 0 stands for always,
// except that of RefuseChance, which is never.
type Fault struct {
	Delay              time.Duration // before every operation
	DropAfter          int64         // bytes of a body after which the connection breaks; 0: never
	DropChance         float64
	AnswersLost        bool // the work is done, and the connection breaks instead of an answer
	AnswersChance      float64
	RefuseStatus       int // status of a made-up refusal; 0: none
	RefuseChance       float64
	ExtensionsPending  bool // runs never end
	ExtensionsFail     bool // runs end as failed
	ExtensionsChance   float64
	WebhooksLost       bool // webhook posts are thrown away
	WebhooksRepeated   bool // webhook posts come twice
	WebhooksOutOfOrder bool // webhook posts are overtaken by later ones
	WebhooksChance     float64
	Rate               int // calls of each operation a second, uploads apart, after the first 2*Rate; 0: any number
}

// String writes the faults as ParseFault reads them; empty for none.
func (f Fault) String() string {
	var list []string
	add := func(on bool, text string, chance float64) {
		if on && chance > 0 && chance < 1 {
			text += ":" + strconv.FormatFloat(chance, 'g', -1, 64)
		}
		if on {
			list = append(list, text)
		}
	}
	add(f.Delay > 0, "delay="+f.Delay.String(), 0)
	add(f.DropAfter > 0, "drop-after="+strconv.FormatInt(f.DropAfter, 10), f.DropChance)
	add(f.AnswersLost, "answers=lost", f.AnswersChance)
	add(f.RefuseStatus != 0 && f.RefuseChance > 0, "refuse="+strconv.Itoa(f.RefuseStatus), f.RefuseChance)
	add(f.ExtensionsPending, "extensions=pending", f.ExtensionsChance)
	add(f.ExtensionsFail, "extensions=fail", f.ExtensionsChance)
	add(f.Rate > 0, fmt.Sprintf("rate=%d/s", f.Rate), 0)
	add(f.WebhooksLost, "webhooks=lost", f.WebhooksChance)
	add(f.WebhooksRepeated, "webhooks=repeated", f.WebhooksChance)
	add(f.WebhooksOutOfOrder, "webhooks=out-of-order", f.WebhooksChance)
	return strings.Join(list, " ")
}

// ParseFault reads faults written as KIND=VALUE: delay=2s,
// drop-after=BYTES[:CHANCE], answers=lost[:CHANCE], refuse=STATUS[:CHANCE], rate=N/s,
// extensions=pending|fail[:CHANCE], webhooks=lost|repeated|out-of-order[:CHANCE].
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
	value, text, some := strings.Cut(value, ":")
	chance := 1.0
	if some {
		var err error
		chance, err = strconv.ParseFloat(text, 64)
		if err != nil || !(chance >= 0 && chance <= 1) || kind == "delay" || kind == "rate" {
			return errors.New("the chance is a number from 0 to 1")
		}
	}
	on := chance > 0
	word := func(choices map[string]*bool, odds *float64) error {
		into := choices[value]
		if into == nil {
			return fmt.Errorf("%s are %s", kind, strings.Join(slices.Sorted(maps.Keys(choices)), " or "))
		}
		*into, *odds = on, chance
		if chance == 1 {
			*odds = 0
		}
		return nil
	}
	var err error
	switch kind {
	case "delay":
		f.Delay, err = time.ParseDuration(value)
		if err != nil || f.Delay < 0 {
			return errors.New("the delay is a time such as 500ms or 2s")
		}
	case "drop-after":
		bytes, err := strconv.ParseInt(value, 10, 64)
		if err != nil || bytes < 1 {
			return errors.New("drop-after is a number of bytes")
		}
		if f.DropAfter = 0; on {
			f.DropAfter = bytes
		}
		if f.DropChance = chance; chance == 1 {
			f.DropChance = 0
		}
	case "refuse":
		f.RefuseStatus, err = strconv.Atoi(value)
		if err != nil || f.RefuseStatus < 400 || f.RefuseStatus > 599 {
			return errors.New("refuse is a status from 400 to 599, such as 503 or 503:0.3")
		}
		f.RefuseChance = chance
	case "rate":
		text, ok := strings.CutSuffix(value, "/s")
		if f.Rate, err = strconv.Atoi(text); err != nil || !ok || f.Rate < 1 || f.Rate > 1000 {
			return errors.New("the rate is a number of calls a second from 1 to 1000, such as 5/s")
		}
	case "answers":
		return word(map[string]*bool{"lost": &f.AnswersLost}, &f.AnswersChance)
	case "extensions":
		return word(map[string]*bool{"pending": &f.ExtensionsPending, "fail": &f.ExtensionsFail}, &f.ExtensionsChance)
	case "webhooks":
		return word(map[string]*bool{
			"lost": &f.WebhooksLost, "repeated": &f.WebhooksRepeated, "out-of-order": &f.WebhooksOutOfOrder,
		}, &f.WebhooksChance)
	default:
		return errors.New("the kinds are delay, drop-after, answers, refuse, rate, extensions and webhooks")
	}
	return nil
}

// chance is a source of chances that a seed makes repeatable.
type chance struct {
	seed   uint64
	mu     sync.Mutex
	source *rand.Rand
}

func newChance(seed uint64) *chance {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &chance{seed: seed, source: rand.New(rand.NewPCG(seed, seed))}
}

// below is true with the chance p; the calls of one process in their order
// get the same answers with the same seed.
func (c *chance) below(p float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.Float64() < p
}

// hits is true with the chance p, where 0 is always. What it answers depends
// on seed, kind and id only, not on the order in which things happen.
func (c *chance) hits(p float64, kind string, id int64) bool {
	if p == 0 {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(kind))
	return rand.New(rand.NewPCG(c.seed^h.Sum64(), uint64(id))).Float64() < p
}

// fault does to a request what Options.Fault says, before its operation.
func (l *Library) fault(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, error) {
	f := l.o.Fault
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return w, r.Context().Err()
		case <-l.ctx.Done():
		}
	}
	if wait := l.limits.wait(f.Rate, r, time.Now()); wait > 0 {
		h := w.Header()
		h.Set("X-RateLimit-Limit", strconv.Itoa(2*f.Rate))
		h.Set("X-RateLimit-Interval", "1000")
		h.Set("X-RateLimit-Reset", strconv.FormatInt(wait.Milliseconds()+1, 10))
		return w, refuse(http.StatusTooManyRequests, "You have exceeded the rate limit of this operation.", "Wait as long as X-RateLimit-Reset says, in milliseconds.")
	}
	if f.RefuseStatus != 0 && l.chance.below(f.RefuseChance) {
		return w, refuse(f.RefuseStatus, "Refused on purpose.", "The local library makes faults on purpose (serve --fault).")
	}
	if f.DropAfter > 0 && (f.DropChance == 0 || l.chance.below(f.DropChance)) {
		r.Body = &droppingBody{ReadCloser: r.Body, left: f.DropAfter}
	}
	if f.AnswersLost && (f.AnswersChance == 0 || l.chance.below(f.AnswersChance)) {
		w = losingWriter{w}
	}
	return w, nil
}

// limits count the calls of each operation, for the fault rate.
type limits struct {
	mu    sync.Mutex
	empty map[string]time.Time // when calls at the full rate would have used up all
}

// wait counts a call and returns 0, or how long to wait until one is allowed. After a
// pause 2*rate calls are allowed at once.
func (l *limits) wait(rate int, r *http.Request, now time.Time) time.Duration {
	if rate == 0 || strings.HasSuffix(strings.TrimRight(r.URL.Path, "/"), "/files/upload") {
		return 0
	}
	_, key := apiMux.Handler(r) // the pattern of the operation
	each := time.Second / time.Duration(rate)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.empty == nil {
		l.empty = map[string]time.Time{}
	}
	until := l.empty[key]
	if until.Before(now) {
		until = now
	}
	until = until.Add(each)
	if wait := until.Sub(now) - 2*time.Duration(rate)*each; wait > 0 {
		return wait
	}
	l.empty[key] = until
	return 0
}

// losingWriter breaks the connection instead of answering.
type losingWriter struct{ http.ResponseWriter }

func (w losingWriter) WriteHeader(int) {
	panic(http.ErrAbortHandler) //nolint:forbidigo // the way net/http gives to break a connection
}

// Unwrap lets the connection's limits be set through it.
func (w losingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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

// holdTime is how long a webhook post is held back at most for a later one to
// overtake it.
const holdTime = 10 * time.Second

// held reports how long a post is still held back. Every other one is, unless
// a chance was given.
func (o *outbox) held(p *store.Post, now time.Time) time.Duration {
	f := o.library.o.Fault
	if !f.WebhooksOutOfOrder || p.Attempts > 0 {
		return 0
	}
	if f.WebhooksChance == 0 && p.ID%2 == 0 || !o.library.chance.hits(f.WebhooksChance, "order", p.ID) {
		return 0
	}
	if o.latest > p.ID {
		return 0
	}
	if wait := p.Created.Add(holdTime).Sub(now); wait <= holdTime {
		return wait
	}
	return 0 // the clock was set back
}

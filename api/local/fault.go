package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mediadesk/api/local/store"
)

// Fault describes faults to inject, for testing how a client copes. The zero Fault injects none. A
// chance of 0 means always, except for RefuseChance, where it means never.
type Fault struct {
	Delay             time.Duration // before every operation
	DropAfter         int64         // bytes of a body before the connection breaks; 0 means never
	DropChance        float64
	AnswersLost       bool // do the work, then break the connection instead of answering
	AnswersChance     float64
	RefuseStatus      int // status of the injected refusals; 0 for none
	RefuseChance      float64
	ExtensionsPending bool // runs never finish
	ExtensionsFail    bool // runs fail
	ExtensionsChance  float64
	WebhooksLost      bool // webhook posts are dropped
	WebhooksRepeated  bool // webhook posts come twice
	WebhooksChance    float64
	// calls per second and operation, except uploads, after a burst of 2*Rate; 0 for no limit
	Rate int
}

// String returns the faults in the format of ParseFault; empty for none.
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
	return strings.Join(list, " ")
}

// ParseFault parses faults of the form KIND=VALUE: delay=2s, drop-after=BYTES[:CHANCE],
// answers=lost[:CHANCE], refuse=STATUS[:CHANCE], rate=N/s, extensions=pending|fail[:CHANCE],
// webhooks=lost|repeated[:CHANCE].
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
			return errors.New("the chance must be a number from 0 to 1")
		}
	}
	on := chance > 0
	word := func(choices map[string]*bool, odds *float64) error {
		into := choices[value]
		if into == nil {
			return fmt.Errorf("%s must be %s", kind, strings.Join(slices.Sorted(maps.Keys(choices)), " or "))
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
			return errors.New("the delay must be a time such as 500ms or 2s")
		}
	case "drop-after":
		bytes, err := strconv.ParseInt(value, 10, 64)
		if err != nil || bytes < 1 {
			return errors.New("drop-after must be a number of bytes")
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
			return errors.New("refuse must be a status from 400 to 599, such as 503 or 503:0.3")
		}
		f.RefuseChance = chance
	case "rate":
		text, ok := strings.CutSuffix(value, "/s")
		if f.Rate, err = strconv.Atoi(text); err != nil || !ok || f.Rate < 1 || f.Rate > 1000 {
			return errors.New("the rate must be a number of calls per second from 1 to 1000, such as 5/s")
		}
	case "answers":
		return word(map[string]*bool{"lost": &f.AnswersLost}, &f.AnswersChance)
	case "extensions":
		return word(map[string]*bool{"pending": &f.ExtensionsPending, "fail": &f.ExtensionsFail}, &f.ExtensionsChance)
	case "webhooks":
		return word(map[string]*bool{"lost": &f.WebhooksLost, "repeated": &f.WebhooksRepeated}, &f.WebhooksChance)
	default:
		return errors.New("the kinds are delay, drop-after, answers, refuse, rate, extensions and webhooks")
	}
	return nil
}

// chance makes random decisions that a seed makes repeatable.
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

// below is true with probability p. The same seed gives the same sequence of results.
func (c *chance) below(p float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.Float64() < p
}

// hits is true with probability p, where 0 means always. It depends on seed, kind and id only.
func (c *chance) hits(p float64, kind string, id int64) bool {
	if p == 0 {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(kind))
	return rand.New(rand.NewPCG(c.seed^h.Sum64(), uint64(id))).Float64() < p
}

// fault applies Options.Fault to a request before its operation.
func (l *Library) fault(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, error) {
	f := l.o.Fault
	if err := l.pause(r, f.Delay); err != nil {
		return w, err
	}
	if wait := l.limits.wait(f.Rate, r, time.Now()); wait > 0 {
		h := w.Header()
		h.Set("X-RateLimit-Limit", strconv.Itoa(2*f.Rate))
		h.Set("X-RateLimit-Interval", "1000")
		h.Set("X-RateLimit-Reset", strconv.FormatInt(wait.Milliseconds()+1, 10))
		return w, refuse(http.StatusTooManyRequests, "You have exceeded the rate limit of this operation.", "Wait for the milliseconds in X-RateLimit-Reset.")
	}
	if f.RefuseStatus != 0 && l.chance.below(f.RefuseChance) {
		return w, refuse(f.RefuseStatus, "Refused by an injected fault.", "The local library runs with serve --fault.")
	}
	if f.DropAfter > 0 && (f.DropChance == 0 || l.chance.below(f.DropChance)) {
		r.Body = &droppingBody{ReadCloser: r.Body, left: f.DropAfter}
	}
	if f.AnswersLost && (f.AnswersChance == 0 || l.chance.below(f.AnswersChance)) {
		w = losingWriter{w}
	}
	return l.applyRules(w, r)
}

// limits counts the calls of each operation, for the fault rate.
type limits struct {
	mu    sync.Mutex
	empty map[string]time.Time // when the calls so far are used up at the full rate
}

// wait counts a call and returns the time until it is allowed. After a pause 2*rate are at once.
func (l *limits) wait(rate int, r *http.Request, now time.Time) time.Duration {
	if rate == 0 || isUpload(r.Pattern) {
		return 0
	}
	key := r.Method + r.Pattern
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

type losingWriter struct{ http.ResponseWriter }

func (w losingWriter) WriteHeader(int) {
	panic(http.ErrAbortHandler) //nolint:forbidigo // the way net/http gives to break a connection
}

// Unwrap lets http.ResponseController reach the connection.
func (w losingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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

func (l *Library) neverEnds(run *store.Run) bool {
	return l.o.Fault.ExtensionsPending && l.chance.hits(l.o.Fault.ExtensionsChance, "pending", run.ID)
}

// FaultRule is a fault for the requests that match, or with LostWebhook for webhook posts.
type FaultRule struct {
	Method      string  `json:"method,omitempty"`      // empty for all
	Endpoint    string  `json:"endpoint,omitempty"`    // a path, maybe with {wildcards} or a final *; empty for all
	Count       int     `json:"count,omitempty"`       // applies to that many, then no more; 0 for no limit
	Probability float64 `json:"probability,omitempty"` // 0 for always
	Delay       int     `json:"delay,omitempty"`       // milliseconds before the request is done
	Status      int     `json:"status,omitempty"`      // of a refusal
	LostAnswer  bool    `json:"lostAnswer,omitempty"`  // do the work, then break the connection
	LostWebhook bool    `json:"lostWebhook,omitempty"` // drop posts as if they had arrived
}

// faultHeader names the rule, in JSON, that applies to the request which has it.
const faultHeader = "X-Mediadesk-Fault"

func readRule(text []byte) (rule FaultRule, err error) {
	err = decodeStrict(text, &rule)
	switch {
	case err != nil:
		err = errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case rule.Count < 0 || rule.Delay < 0 || rule.Probability < 0 || rule.Probability > 1:
		err = errors.New("count and delay are 0 or more, and probability is from 0 to 1")
	case rule.Status != 0 && (rule.Status < 400 || rule.Status > 599):
		err = errors.New("status is from 400 to 599")
	case rule.Delay == 0 && rule.Status == 0 && !rule.LostAnswer && !rule.LostWebhook:
		err = errors.New("it needs delay, status, lostAnswer or lostWebhook")
	}
	if err != nil {
		return rule, badRequest("A fault rule is wrong: "+err.Error()+".", `Send an object such as {"endpoint":"/v1/files","method":"GET","count":1,"status":503}.`)
	}
	return rule, nil
}

// faultRules are the rules in force. The zero value is ready to use.
type faultRules struct {
	mu   sync.Mutex
	list []FaultRule
}

// use returns the rules that fits selects, and uses up one of their counts.
func (f *faultRules) use(chance *chance, fits func(*FaultRule) bool) (found []FaultRule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	retained := f.list[:0]
	for _, rule := range f.list {
		if fits(&rule) && (rule.Probability == 0 || chance.below(rule.Probability)) {
			found = append(found, rule)
			if rule.Count == 1 {
				continue
			}
			rule.Count = max(0, rule.Count-1)
		}
		retained = append(retained, rule)
	}
	f.list = retained
	return found
}

func (rule *FaultRule) fits(r *http.Request) bool {
	at := path.Clean("/" + r.URL.Path)
	prefix, open := strings.CutSuffix(rule.Endpoint, "*")
	return !rule.LostWebhook && (rule.Method == "" || strings.EqualFold(rule.Method, r.Method)) &&
		(rule.Endpoint == "" || rule.Endpoint == r.Pattern || rule.Endpoint == at || open && strings.HasPrefix(at, prefix))
}

func (l *Library) setFaults(r *http.Request) (any, error) {
	var sent []json.RawMessage
	if _, err := readBody(r, 1, member{"rules", &sent}); err != nil {
		return nil, err
	}
	rules := []FaultRule{}
	for _, text := range sent {
		rule, err := readRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	l.rules.mu.Lock()
	defer l.rules.mu.Unlock()
	l.rules.list = rules
	return map[string]any{"rules": rules}, nil
}

// removeFaults removes all rules. The faults of Options stay.
func (l *Library) removeFaults(*http.Request) (any, error) {
	l.rules.mu.Lock()
	defer l.rules.mu.Unlock()
	l.rules.list = nil
	return nil, nil
}

// Faults returns the faults in force, for people; empty for none.
func (l *Library) Faults() string {
	l.rules.mu.Lock()
	defer l.rules.mu.Unlock()
	text := l.o.Fault.String()
	if n := len(l.rules.list); n > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s rules=%d", text, n))
	}
	return text
}

// applyRules applies the rules to a request before its operation.
func (l *Library) applyRules(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, error) {
	rules := l.rules.use(l.chance, func(rule *FaultRule) bool { return rule.fits(r) })
	if text := r.Header.Get(faultHeader); text != "" {
		rule, err := readRule([]byte(text))
		if err != nil {
			return w, err
		}
		rules = append(rules, rule)
	}
	for _, rule := range rules {
		if err := l.pause(r, time.Duration(rule.Delay)*time.Millisecond); err != nil {
			return w, err
		}
		if rule.Status != 0 {
			return w, refuse(rule.Status, "Refused by an injected fault.", "A rule of /_mediadesk/faults or the header "+faultHeader+" asks for it.")
		}
		if rule.LostAnswer {
			w = losingWriter{w}
		}
	}
	return w, nil
}

func (l *Library) pause(r *http.Request, delay time.Duration) error {
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		return r.Context().Err()
	case <-l.work.Context().Done():
	}
	return nil
}

package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault lists faults to inject, for testing how a client copes, as serve --fault sets them.
type Fault []FaultRule

// String returns the faults in the format of ParseFault; empty for none.
func (f Fault) String() string {
	var list []string
	for _, rule := range f {
		list = append(list, rule.Text)
	}
	return strings.Join(list, " ")
}

// ParseFault parses faults of the form KIND=VALUE: delay=2s, drop-after=BYTES[:CHANCE],
// answers=lost[:CHANCE], refuse=STATUS[:CHANCE], rate=N/s, extensions=pending|fail[:CHANCE],
// webhooks=lost|repeated[:CHANCE].
func ParseFault(list []string) (f Fault, err error) {
	for _, text := range list {
		rule := FaultRule{Text: text}
		if rule.Probability, err = rule.parse(); err != nil {
			return nil, fmt.Errorf("fault %s: %w", quote(text), err)
		}
		if rule.Probability > 0 {
			f = append(f, rule)
		}
	}
	return f, nil
}

// parse sets what the text of a rule says, and returns its chance.
func (rule *FaultRule) parse() (chance float64, err error) {
	kind, value, _ := strings.Cut(rule.Text, "=")
	value, odds, some := strings.Cut(value, ":")
	if chance = 1; some {
		chance, err = strconv.ParseFloat(odds, 64)
		if err != nil || !(chance >= 0 && chance <= 1) || kind == "delay" || kind == "rate" {
			return 0, errors.New("the chance must be a number from 0 to 1")
		}
	}
	var words []string
	switch kind {
	case "delay":
		delay, err := time.ParseDuration(value)
		if rule.Delay = int(delay.Milliseconds()); err != nil || delay < 0 {
			return 0, errors.New("the delay must be a time such as 500ms or 2s")
		}
	case "drop-after":
		if rule.dropAfter, err = strconv.ParseInt(value, 10, 64); err != nil || rule.dropAfter < 1 {
			return 0, errors.New("drop-after must be a number of bytes")
		}
	case "refuse":
		if rule.Status, err = strconv.Atoi(value); err != nil || rule.Status < 400 || rule.Status > 599 {
			return 0, errors.New("refuse must be a status from 400 to 599, such as 503 or 503:0.3")
		}
	case "rate":
		text, ok := strings.CutSuffix(value, "/s")
		if rule.rate, err = strconv.Atoi(text); err != nil || !ok || rule.rate < 1 || rule.rate > 1000 {
			return 0, errors.New("the rate must be a number of calls per second from 1 to 1000, such as 5/s")
		}
	case "answers":
		rule.LostAnswer, words = true, []string{"lost"}
	case "extensions":
		words = []string{"fail", "pending"}
	case "webhooks":
		words = []string{"lost", "repeated"}
	default:
		return 0, errors.New("the kinds are delay, drop-after, answers, refuse, rate, extensions and webhooks")
	}
	if words != nil && !slices.Contains(words, value) {
		return 0, fmt.Errorf("%s must be %s", kind, strings.Join(words, " or "))
	}
	return chance, nil
}

type chance struct {
	mu     sync.Mutex
	source *rand.Rand
}

// below is true with probability p. The same seed gives the same sequence of results.
func (c *chance) below(p float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source.Float64() < p
}

// injected reports whether a fault of Options, such as extensions=fail, is for the run or post of
// that id. It depends on the seed, the fault and the id only.
func (l *Library) injected(fault string, id int64) bool {
	return slices.ContainsFunc(l.o.Fault, func(rule FaultRule) bool {
		h := fnv.New64a()
		h.Write([]byte(fault))
		odds := rand.New(rand.NewPCG(l.o.Seed^h.Sum64(), uint64(id))).Float64()
		return strings.HasPrefix(rule.Text, fault) && (rule.Probability == 0 || odds < rule.Probability)
	})
}

// fault applies the faults of Options, the rules and that of its header to a request before its
// operation.
func (l *Library) fault(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, error) {
	rules := slices.DeleteFunc(slices.Clone(l.o.Fault), func(rule FaultRule) bool {
		return rule.Probability > 0 && rule.Probability < 1 && !l.chance.below(rule.Probability)
	})
	rules = append(rules, l.useRules(func(rule *FaultRule) bool { return rule.fits(r) })...)
	if text := r.Header.Get(faultHeader); text != "" {
		rule, err := readRule([]byte(text))
		if err != nil {
			return w, err
		}
		rules = append(rules, rule)
	}
	for _, rule := range rules {
		if err := l.wait(r, time.Duration(rule.Delay)*time.Millisecond); err != nil {
			return w, err
		}
		if delay := l.limits.delay(rule.rate, r, time.Now()); delay > 0 {
			h := w.Header()
			h.Set("X-RateLimit-Limit", strconv.Itoa(2*rule.rate))
			h.Set("X-RateLimit-Interval", "1000")
			h.Set("X-RateLimit-Reset", strconv.FormatInt(delay.Milliseconds()+1, 10))
			return w, refuse(http.StatusTooManyRequests, "You have exceeded the rate limit of this operation.",
				"Wait for the milliseconds in X-RateLimit-Reset.")
		}
		if rule.Status != 0 {
			return w, refuse(rule.Status, "Refused by an injected fault.",
				"serve --fault, a rule of /_mediadesk/faults or the header "+faultHeader+" asks for it.")
		}
		if rule.dropAfter > 0 {
			r.Body = &droppingBody{ReadCloser: r.Body, left: rule.dropAfter}
		}
		if rule.LostAnswer {
			w = losingWriter{w}
		}
	}
	return w, nil
}

// limits counts the calls of each operation, for the fault rate.
type limits struct {
	mu    sync.Mutex
	empty map[string]time.Time // when the calls so far are used up at the full rate
}

// delay counts a call and returns the time until it is allowed. A burst of 2*rate calls is.
func (l *limits) delay(rate int, r *http.Request, now time.Time) time.Duration {
	if rate == 0 || isUpload(r.Pattern) {
		return 0
	}
	key := r.Method + r.Pattern
	interval := time.Second / time.Duration(rate)
	l.mu.Lock()
	defer l.mu.Unlock()
	until := slices.MaxFunc([]time.Time{l.empty[key], now}, time.Time.Compare).Add(interval)
	if delay := until.Sub(now) - 2*time.Duration(rate)*interval; delay > 0 {
		return delay
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

// FaultRule is a fault for the requests that match, or with LostWebhook for webhook posts.
type FaultRule struct {
	Method      string  `json:"method,omitempty"`      // empty for all
	Endpoint    string  `json:"endpoint,omitempty"`    // a path, with {wildcards} or a final *; empty for all
	Count       int     `json:"count,omitempty"`       // applies to that many, then no more; 0 for no limit
	Probability float64 `json:"probability,omitempty"` // 0 for always
	Delay       int     `json:"delay,omitempty"`       // milliseconds before the request is done
	Status      int     `json:"status,omitempty"`      // of a refusal
	LostAnswer  bool    `json:"lostAnswer,omitempty"`  // do the work, then break the connection
	LostWebhook bool    `json:"lostWebhook,omitempty"` // drop posts as if they had arrived

	Text      string `json:"-"` // as in ParseFault
	dropAfter int64  // bytes of a body before the connection breaks; 0 for never
	rate      int    // calls of an operation per second, not uploads, after a burst of 2*rate; 0 for no limit
}

// faultHeader names the rule, in JSON, that applies to the request which has it.
const faultHeader = "X-Mediadesk-Fault"

func readRule(text []byte) (rule FaultRule, err error) {
	err = decodeStrict(text, &rule)
	switch {
	case err != nil:
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

// useRules returns the rules that fits selects, and uses up one of their counts.
func (l *Library) useRules(fits func(*FaultRule) bool) (found []FaultRule) {
	l.rules.mu.Lock()
	defer l.rules.mu.Unlock()
	retained := l.rules.list[:0]
	for _, rule := range l.rules.list {
		if fits(&rule) && (rule.Probability == 0 || l.chance.below(rule.Probability)) {
			found = append(found, rule)
			if rule.Count == 1 {
				continue
			}
			rule.Count = max(0, rule.Count-1)
		}
		retained = append(retained, rule)
	}
	l.rules.list = retained
	return found
}

func (rule *FaultRule) fits(r *http.Request) bool {
	at := path.Clean("/" + r.URL.Path)
	prefix, open := strings.CutSuffix(rule.Endpoint, "*")
	within := open && strings.HasPrefix(at, prefix)
	return !rule.LostWebhook && (rule.Method == "" || strings.EqualFold(rule.Method, r.Method)) &&
		(within || slices.Contains([]string{"", r.Pattern, at}, rule.Endpoint))
}

func (l *Library) setFaults(r *http.Request) (any, error) {
	var sent []json.RawMessage
	if _, err := readBody(r, &sent); err != nil {
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
	l.rules.set(rules)
	return map[string]any{"rules": rules}, nil
}

// removeFaults removes all rules. The faults of Options stay.
func (l *Library) removeFaults(*http.Request) (any, error) {
	l.rules.set(nil)
	return nil, nil
}

// Faults returns the faults in force, for people; empty for none.
func (l *Library) Faults() string {
	text := l.o.Fault.String()
	if n := len(l.rules.all()); n > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s rules=%d", text, n))
	}
	return text
}

func (l *Library) wait(r *http.Request, delay time.Duration) error {
	if delay <= 0 {
		return nil
	}
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
		return r.Context().Err()
	case <-l.work.Context().Done():
	}
	return nil
}

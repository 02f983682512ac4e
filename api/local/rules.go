package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"mediadesk/api/local/store"
)

// FaultRule is a fault that a test sets while the library runs. It applies to the requests that
// match, or with LostWebhook to webhook posts.
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
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(&rule)
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
	kept := f.list[:0]
	for _, rule := range f.list {
		if fits(&rule) && (rule.Probability == 0 || chance.below(rule.Probability)) {
			found = append(found, rule)
			if rule.Count == 1 {
				continue
			}
			rule.Count = max(0, rule.Count-1)
		}
		kept = append(kept, rule)
	}
	f.list = kept
	return found
}

// fits reports whether the rule is about a request.
func (rule *FaultRule) fits(r *http.Request) bool {
	at := path.Clean("/" + r.URL.Path)
	prefix, open := strings.CutSuffix(rule.Endpoint, "*")
	return !rule.LostWebhook && (rule.Method == "" || strings.EqualFold(rule.Method, r.Method)) &&
		(rule.Endpoint == "" || rule.Endpoint == r.Pattern || rule.Endpoint == at || open && strings.HasPrefix(at, prefix))
}

// setFaults replaces the rules.
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

// pause waits before an operation.
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

// losesPost reports whether a rule drops a post.
func (l *Library) losesPost(*store.Post) bool {
	return len(l.rules.use(l.chance, func(rule *FaultRule) bool { return rule.LostWebhook })) > 0
}

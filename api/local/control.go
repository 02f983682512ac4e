package local

import (
	"context"
	"net/http"
	"strings"
	"time"

	"mediadesk/api/local/store"
)

// controlPath is the prefix of paths that control the program, not the library. Injected faults
// skip them and the request log leaves them out.
const (
	controlPath = "/_mediadesk/"
	healthPath  = controlPath + "health"
	openAPIPath = controlPath + "openapi.json"
)

func isControl(path string) bool { return strings.HasPrefix(path+"/", controlPath) }

// keyless holds the paths that need no key.
var keyless = map[string]bool{identityPath: true, healthPath: true, openAPIPath: true}

// identity identifies the process that serves a library.
type identity struct {
	Service  string `json:"service"`
	Identity string `json:"identity"`
	Faults   string `json:"faults"` // in the format of Fault.String
}

func (l *Library) identify(*http.Request) (any, error) {
	return identity{"mediadesk", l.identity, l.o.Fault.String()}, nil
}

type health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

// healthTime is the time limit for the records to answer.
const healthTime = 3 * time.Second

// health reports whether records and contents answer.
func (l *Library) health(r *http.Request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), healthTime)
	defer cancel()
	err := l.records.View(ctx, func(tx store.Tx) error {
		_, err := tx.Library.Empty()
		return err
	})
	part := "database"
	if err == nil {
		part, err = "storage", l.contents.Answers(ctx)
	}
	if err != nil {
		l.log.Error("the health check failed", "part", part, "error", err)
		return nil, refuse(http.StatusServiceUnavailable, "The "+part+" of the library does not answer.", "The log of mediadesk serve has the reason.").because(part)
	}
	return health{"ok", l.o.Version}, nil
}

// reset empties the library.
func (l *Library) reset(r *http.Request) (any, error) {
	if !l.o.AllowReset {
		return nil, refuse(http.StatusForbidden, "This library cannot be reset.", "Start mediadesk serve with --ephemeral or --allow-reset.")
	}
	err := l.records.Update(r.Context(), func(tx store.Tx) error { return tx.Library.Clear() })
	if err != nil {
		return nil, err
	}
	l.work.CancelAll()
	l.requests.mu.Lock()
	defer l.requests.mu.Unlock()
	l.requests.list = nil
	return nil, nil
}

func (l *Library) listRequests(*http.Request) (any, error) {
	g := &l.requests
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Request{}, g.list[max(0, len(g.list)-maxRequests):]...), nil
}

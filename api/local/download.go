package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

const (
	maxRedirects = 5
	downloadIdle = 30 * time.Second
	downloadTime = 10 * time.Minute
)

var (
	errSlowHeaders = errors.New("no response headers arrived within 8 seconds")
	errSlowBody    = errors.New("no data arrived for 30 seconds")
)

// download fetches a URL source (service.md §4.1, file). Every failure is answered with status 400
// (§7).
func (l *Library) download(ctx context.Context, address string) (store.Draft, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	res, err := l.fetchHeaders(ctx, stop, address) //nolint:bodyclose // it is closed below
	if err != nil {
		return nil, downloadError(ctx, err)
	}
	defer res.Body.Close()
	if res.ContentLength > l.o.MaxSize {
		return nil, l.errTooLarge()
	}
	draft, err := l.contents.Draft()
	if err != nil {
		return nil, err
	}
	idle := time.AfterFunc(downloadIdle, func() { stop(errSlowBody) })
	defer idle.Stop()
	err = l.fill(draft, readerFunc(func(p []byte) (int, error) {
		n, err := res.Body.Read(p)
		if n > 0 {
			idle.Reset(downloadIdle)
		}
		return n, err
	}))
	if err == nil {
		return draft, nil
	}
	draft.Discard()
	var own *storeError
	var p *problem
	switch {
	case errors.As(err, &own):
		return nil, own.err
	case errors.As(err, &p):
		return nil, l.errTooLarge()
	}
	return nil, downloadError(ctx, err)
}

// fetchHeaders follows redirects itself, so each hop has its own time limits and passes the same
// checks.
func (l *Library) fetchHeaders(ctx context.Context, stop context.CancelCauseFunc, address string) (*http.Response, error) {
	for range maxRedirects + 1 {
		if err := rule.CheckSourceURL(address); err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		if req.URL.User != nil {
			return nil, errors.New("the address holds a user name")
		}
		req.Header.Set("User-Agent", "mediadesk")
		slow := time.AfterFunc(l.headerWait, func() { stop(errSlowHeaders) })
		res, err := l.guard.client.Do(req)
		slow.Stop()
		if err != nil {
			return nil, err
		}
		switch res.StatusCode {
		case http.StatusOK:
			return res, nil
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			next, err := res.Location()
			res.Body.Close()
			if err != nil {
				return nil, errors.New("the address redirects without a target")
			}
			address = next.String()
		default:
			res.Body.Close()
			return nil, fmt.Errorf("the address answered %d", res.StatusCode)
		}
	}
	return nil, fmt.Errorf("the address redirects more than %d times", maxRedirects)
}

func downloadError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if broken, ok := errors.AsType[*api.RuleError](err); ok {
		return broken
	}
	var guarded *guardError
	reason := err.Error()
	var wrapped *url.Error
	switch {
	case errors.As(err, &guarded):
		reason = guarded.Error()
	case errors.Is(err, context.DeadlineExceeded):
		reason = "it took longer than 10 minutes"
	case errors.As(err, &wrapped):
		reason = wrapped.Err.Error()
	}
	return badRequest("Your request contains invalid file parameter. The file could not be downloaded: "+reason+".", "Check that the address can be reached from here and answers quickly.")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

var _ io.Reader = readerFunc(nil)

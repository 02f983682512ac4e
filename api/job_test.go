package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"mediadesk/api"
)

// TestOutcomeOf: OutcomeOf never claims more than is known.
func TestOutcomeOf(t *testing.T) {
	for _, test := range []struct {
		about string
		err   error
		want  api.State
	}{
		{"no error", nil, api.Stored},
		{"a broken rule", &api.RuleError{Field: "tags"}, api.Unsent},
		{"a bad source", &api.SourceError{Path: "a"}, api.Unsent},
		{"any other error before sending", errors.New("x"), api.Unsent},
		{"insecure address", fmt.Errorf("x: %w", api.ErrInsecure), api.Unsent},
		{"bad request", &api.ServiceError{Status: 400, Complete: true}, api.Refused},
		{"wrong key, early", &api.ServiceError{Status: 401}, api.Refused},
		{"redirect", &api.ServiceError{Status: 307, Complete: true}, api.Refused},
		{"too many requests", &api.ServiceError{Status: 429, Complete: true}, api.Refused},
		{"unavailable", &api.ServiceError{Status: 503, Complete: true}, api.Refused},
		{"disk of the service full", &api.ServiceError{Status: 507, Complete: true}, api.Refused},
		{"disk of something on the way full", &api.ServiceError{Status: 507, Complete: true, Foreign: true}, api.Unknown},
		{"service fault after the last byte", &api.ServiceError{Status: 500, Complete: true}, api.Unknown},
		{"gateway time-out after the last byte", &api.ServiceError{Status: 504, Complete: true}, api.Unknown},
		{"service fault before the last byte", &api.ServiceError{Status: 502}, api.Refused},
		{"no answer after the last byte", &api.SendError{Complete: true, Err: io.EOF}, api.Unknown},
		{"cancelled after the last byte", &api.SendError{Complete: true, Err: context.Canceled}, api.Unknown},
		{"no answer before the last byte", &api.SendError{Err: io.EOF}, api.Unsent},
		{"success without a record", api.ErrNoRecord, api.Unknown},
		{"success with a web page", fmt.Errorf("%w: a web page", api.ErrNoRecord), api.Unknown},
		{"wrapped", fmt.Errorf("job 1: %w", &api.ServiceError{Status: 400}), api.Refused},
	} {
		if got := api.OutcomeOf(test.err); got != test.want {
			t.Errorf("%s: got %s, want %s", test.about, got, test.want)
		}
	}
}

func TestFailureOf(t *testing.T) {
	if api.FailureOf(nil) != nil {
		t.Error("no error is no failure")
	}
	got := api.FailureOf(fmt.Errorf("x: %w", &api.ServiceError{Status: 400, Message: "no", Help: "read the manual", RequestID: "r1"}))
	if want := (api.Failure{Status: 400, Message: "no", Help: "read the manual", RequestID: "r1"}); *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
	// the service's help comes before ours, and ours is used if there is none.
	if got := api.FailureOf(&api.ServiceError{Status: 401, Message: "no", Help: "theirs"}); got.Help != "theirs" {
		t.Errorf("got %+v", got)
	}
	for _, err := range []error{
		&api.ServiceError{Status: 301}, &api.ServiceError{Status: 401}, &api.ServiceError{Status: 403}, &api.ServiceError{Status: 404},
		&api.ServiceError{Status: 413}, &api.ServiceError{Status: 429}, &api.ServiceError{Status: 500}, &api.ServiceError{Status: 599},
		&api.SendError{Op: "upload", Err: io.EOF}, &api.SendError{Op: "upload", Complete: true, Err: io.EOF},
		&api.RuleError{Message: "m", Help: "h"}, &api.SourceError{Path: "a", Reason: "is a folder", Help: "h"}, api.ErrNoRecord, api.ErrInsecure,
	} {
		if got := api.FailureOf(err); got.Help == "" || got.Help != api.Hint(err) {
			t.Errorf("%v: help %q, hint %q", err, got.Help, api.Hint(err))
		}
	}
	if got := api.FailureOf(errors.New("plain")); *got != (api.Failure{Message: "plain"}) {
		t.Errorf("got %+v", got)
	}
}

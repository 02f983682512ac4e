package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// TestOutcomeOf: OutcomeOf never claims more than is known.
func TestOutcomeOf(t *testing.T) {
	for _, test := range []struct {
		about string
		err   error
		want  job.State
	}{
		{"no error", nil, job.Stored},
		{"a broken rule", &api.RuleError{Field: "tags"}, job.Unsent},
		{"a bad source", &api.SourceError{Path: "a"}, job.Unsent},
		{"any other error before sending", errors.New("x"), job.Unsent},
		{"insecure address", fmt.Errorf("x: %w", api.ErrInsecure), job.Unsent},
		{"bad request", &api.ServiceError{Status: 400, Complete: true}, job.Refused},
		{"wrong key, early", &api.ServiceError{Status: 401}, job.Refused},
		{"redirect", &api.ServiceError{Status: 307, Complete: true}, job.Refused},
		{"too many requests", &api.ServiceError{Status: 429, Complete: true}, job.Refused},
		{"unavailable", &api.ServiceError{Status: 503, Complete: true}, job.Refused},
		{"disk of the service full", &api.ServiceError{Status: 507, Complete: true}, job.Refused},
		{"disk of something on the way full", &api.ServiceError{Status: 507, Complete: true, Foreign: true}, job.Unknown},
		{"service fault after the last byte", &api.ServiceError{Status: 500, Complete: true}, job.Unknown},
		{"gateway time-out after the last byte", &api.ServiceError{Status: 504, Complete: true}, job.Unknown},
		{"service fault before the last byte", &api.ServiceError{Status: 502}, job.Refused},
		{"no answer after the last byte", &api.SendError{Complete: true, Err: io.EOF}, job.Unknown},
		{"cancelled after the last byte", &api.SendError{Complete: true, Err: context.Canceled}, job.Unknown},
		{"no answer before the last byte", &api.SendError{Err: io.EOF}, job.Unsent},
		{"success without a record", api.ErrNoRecord, job.Unknown},
		{"success with a web page", fmt.Errorf("%w: a web page", api.ErrNoRecord), job.Unknown},
		{"wrapped", fmt.Errorf("job 1: %w", &api.ServiceError{Status: 400}), job.Refused},
	} {
		mediatest.Equal(t, job.OutcomeOf(test.err), test.want, "%s", test.about)
	}
}

func TestFailureOf(t *testing.T) {
	if job.FailureOf(nil) != nil {
		t.Error("no error is no failure")
	}
	got := job.FailureOf(fmt.Errorf("x: %w", &api.ServiceError{
		Status: 400, Message: "no", Help: "read the manual", RequestID: "r1",
	}))
	want := (job.Failure{Status: 400, Message: "no", Help: "read the manual", RequestID: "r1"})
	if *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
	// the service's help comes before ours, and ours is used if there is none.
	if got := job.FailureOf(&api.ServiceError{
		Status: 401, Message: "no", Help: "theirs",
	}); got.Help != "theirs" {
		t.Errorf("got %+v", got)
	}
	for _, err := range []error{
		&api.ServiceError{Status: 301}, &api.ServiceError{Status: 401}, &api.ServiceError{Status: 403},
		&api.ServiceError{Status: 404},
		&api.ServiceError{Status: 413}, &api.ServiceError{Status: 429}, &api.ServiceError{Status: 500},
		&api.ServiceError{Status: 599},
		&api.SendError{Op: "upload", Err: io.EOF}, &api.SendError{Op: "upload", Complete: true, Err: io.EOF},
		&api.RuleError{Message: "m", Help: "h"},
		&api.SourceError{Path: "a", Reason: "is a folder", Help: "h"}, api.ErrNoRecord, api.ErrInsecure,
	} {
		if got := job.FailureOf(err); got.Help == "" || got.Help != api.Hint(err) {
			t.Errorf("%v: help %q, hint %q", err, got.Help, api.Hint(err))
		}
	}
	if got := job.FailureOf(errors.New("plain")); *got != (job.Failure{Message: "plain"}) {
		t.Errorf("got %+v", got)
	}
}

package api_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
)

func TestMain(m *testing.M) {
	mediatest.TempInMemory()
	mediatest.WaitTogether()
	goleak.VerifyTestMain(m)
}

// wantRule fails unless err is a *RuleError of the field with a message and a help. For "" it wants no
// error.
func wantRule(t *testing.T, err error, field string) {
	t.Helper()
	if field == "" {
		if err != nil {
			t.Fatalf("got error %v, want none", err)
		}
		return
	}
	var rule *api.RuleError
	if !errors.As(err, &rule) {
		t.Fatalf("got error %v, want a *RuleError of %s", err, field)
	}
	if rule.Field != field || rule.Message == "" || rule.Help == "" {
		t.Fatalf("got %+v, want a message and help for %s", rule, field)
	}
}

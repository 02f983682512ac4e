package rule_test

import (
	"errors"
	"testing"

	"mediadesk/api"
)

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
	var broken *api.RuleError
	if !errors.As(err, &broken) {
		t.Fatalf("got error %v, want a *RuleError of %s", err, field)
	}
	if broken.Field != field || broken.Message == "" || broken.Help == "" {
		t.Fatalf("got %+v, want a message and help for %s", broken, field)
	}
}

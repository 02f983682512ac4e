package local

import (
	"maps"
	"testing"

	"mediadesk/api/entry"
	"mediadesk/api/rule"
)

// TestEveryFieldHasAHandler: a field without a handler stops the library at its start.
func TestEveryFieldHasAHandler(t *testing.T) {
	if err := checkHandlers(); err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(handlers)
	t.Cleanup(func() { handlers = all })
	for _, f := range entry.Fields {
		if handlers = maps.Clone(all); f.Name == rule.FieldDescription {
			handlers[f.Name] = handler{} // it has a column of its own; an empty handler would hide it
		} else {
			delete(handlers, f.Name)
		}
		if checkHandlers() == nil {
			t.Errorf("the library starts without a handler for %s", f.Name)
		}
	}
}

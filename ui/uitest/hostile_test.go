package uitest_test

import (
	"strings"
	"testing"

	"mediadesk/ui/text"
	"mediadesk/ui/uitest"
)

// TestForbidden: text of every kind is found unescaped, and is not found after it was made safe.
func TestForbidden(t *testing.T) {
	list := uitest.Hostile()
	if len(list) != 41 {
		t.Fatalf("%d kinds", len(list))
	}
	for _, h := range list {
		if uitest.Forbidden("before "+h.Text+" after") == nil {
			t.Errorf("%s: not found", h.Class)
		}
		if found := uitest.Forbidden("before " + text.Safe(h.Text) + " after"); found != nil {
			t.Errorf("%s: %v after it was made safe", h.Class, found)
		}
	}
	own := "\x1b[31mred\x1b[m\r\n\x1b]2;title\x07" + strings.Repeat("e\u0301", 9)
	if found := uitest.Forbidden(own); found != nil {
		t.Errorf("allowed output: %v", found)
	}
}

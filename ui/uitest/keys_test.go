package uitest

import "testing"

func TestUnknownKeys(t *testing.T) {
	for _, name := range []string{"", "hyper+x", "nokey", "ctrl+nokey"} {
		if b, err := encodeKey(name); err == nil {
			t.Errorf("%q became %q", name, b)
		}
	}
}

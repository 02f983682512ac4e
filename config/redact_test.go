package config

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
)

// TestRedactorMixed: no key gets through, whatever is next to it.
func TestRedactorMixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Redactor
		for _, key := range []string{testKey, "private_s3cr3t", "zz"} {
			s, err := NewSecret(key)
			must(t, err)
			r.Add(s)
		}
		pieces := append(api.KeyForms(testKey), "plain ", "private_", "zz", "z", "\n", "é", "private_s3cr3t+")
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		var log strings.Builder
		if n, err := r.Writer(&log).Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(text), err)
		}
		for _, form := range append(api.KeyForms(testKey), "private_s3cr3t", "zz") {
			if strings.Contains(log.String(), form) {
				t.Fatalf("%q has %q", log.String(), form)
			}
		}
	})
}

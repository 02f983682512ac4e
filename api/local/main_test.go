package local_test

import (
	"testing"

	"go.uber.org/goleak"

	"mediadesk/api/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "private_test_key"

type key string

func (k key) Reveal() string { return string(k) }

// serve runs a library on a free port until the test ends. Without a folder
// it gets one of its own.
func serve(t *testing.T, o local.Options) *local.Server {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Key == nil {
		o.Key = key(testKey)
	}
	s, err := local.Serve(t.Context(), "127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

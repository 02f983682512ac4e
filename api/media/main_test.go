package media

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	converterTime = 5 * time.Minute // a busy machine needs time
	goleak.VerifyTestMain(m)
}

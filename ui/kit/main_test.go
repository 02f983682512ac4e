package kit_test

import (
	"testing"

	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

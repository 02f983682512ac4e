package settings

import (
	"context"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// usageTest is a session whose Usage fails with the error of the function.
type usageTest func() error

func (r usageTest) Usage(context.Context, time.Time, time.Time) (api.Usage, error) {
	if r() != nil {
		return api.Usage{}, r()
	}
	return api.Usage{StorageBytes: api.Set(int64(3_000_000)), BandwidthBytes: api.Set(int64(1500)), ExtensionUnits: api.Set(int64(4))}, nil
}

// TestUsageOfTheAccountInUse: the usage has a row only if the service reports it.
func TestUsageOfTheAccountInUse(t *testing.T) {
	d := newDriver(t)
	var refused error
	d.o.Session = usageTest(func() error { return refused })
	d.open().Send(page.Shown{})
	d.Sees("This month", "3 MB stored, 1.5 kB delivered, 4 extension units")
	refused = &api.ServiceError{Status: 404, Message: "not found"}
	d.Send(page.Shown{})
	if d.m.usage != "" {
		t.Errorf("shows %q", d.m.usage)
	}
}

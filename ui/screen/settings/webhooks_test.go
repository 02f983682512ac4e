package settings

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// receiverTest is a session whose TestReceiver calls the function.
type receiverTest func() error

func (r receiverTest) TestReceiver(context.Context) error { return r() }

func (r receiverTest) Usage(context.Context, time.Time, time.Time) (api.Usage, error) {
	if r() != nil {
		return api.Usage{}, r()
	}
	return api.Usage{StorageBytes: api.Set(int64(3_000_000)), BandwidthBytes: api.Set(int64(1500)), ExtensionUnits: api.Set(int64(4))}, nil
}

func TestTestingTheWebhookAddress(t *testing.T) {
	d := newDriver(t)
	var outcome error
	d.o.Session = receiverTest(func() error { return outcome })
	d.open().Press("w")
	if got := last[page.Toast](d); got.Text != "A post to http://127.0.0.1:7844 arrived here." {
		t.Errorf("got the messages %+v", got)
	}
	outcome = errors.New("nothing answers at https://desk.example.com")
	d.Press("w")
	if got := last[page.Toast](d); got.Level != page.Warn || !strings.Contains(got.Detail, "cloudflared tunnel --url http://127.0.0.1:7844") {
		t.Errorf("got the messages %+v", got)
	}
}

// TestUsageOfTheAccountInUse: the usage has a row only if the service reports it.
func TestUsageOfTheAccountInUse(t *testing.T) {
	d := newDriver(t)
	var refused error
	d.o.Session = receiverTest(func() error { return refused })
	d.open().Send(page.Shown{})
	d.Sees("This month", "3 MB stored, 1.5 kB delivered, 4 extension units")
	refused = &api.ServiceError{Status: 404, Message: "not found"}
	d.Send(page.Shown{})
	if d.m.usage != "" {
		t.Errorf("shows %q", d.m.usage)
	}
}

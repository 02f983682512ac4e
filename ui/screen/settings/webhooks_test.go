package settings

import (
	"context"
	"errors"
	"image"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
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
	d.open().Press("w").Sees("A post to http://127.0.0.1:7844 arrived here.", "cloudflared tunnel --url http://127.0.0.1:7844", "mediadesk starts none")
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		d.Resize(image.Pt(w, h))
		return d.Host.View(th)
	})
	d.Resize(image.Pt(240, 50))
	d.Press("esc")
	outcome = errors.New("nothing answers at \x1b[31mhttps://desk.example.com")
	d.Press("w").Sees("Nothing answers at", `\x1b[31m`)
	// If the user closes the reader first, a toast shows the outcome.
	d.Press("esc")
	var held []tea.Cmd
	d.Hold = &held
	d.Press("w", "esc")
	d.Hold = nil
	for _, cmd := range held {
		d.Run(cmd)
	}
	if got := last[page.Toast](d); got.Level != page.Warn {
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

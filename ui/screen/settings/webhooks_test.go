package settings

import (
	"context"
	"errors"
	"image"
	"testing"

	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// receiverTest is a session whose receiver answers a test as it is told to.
type receiverTest func() error

func (r receiverTest) TestReceiver(context.Context) error { return r() }

func TestTestingTheWebhookAddress(t *testing.T) {
	d := newDesk(t)
	var outcome error
	d.o.Session = receiverTest(func() error { return outcome })
	d.open().press("w").sees("A post to http://127.0.0.1:7844 arrived here.", "cloudflared tunnel --url http://127.0.0.1:7844", "mediadesk starts none")
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return d.m.View(image.Pt(w, h), th) })
	d.press("esc")
	outcome = errors.New("nothing answers at \x1b[31mhttps://desk.example.com")
	d.press("w").sees("Nothing answers at", `\x1b[31m`)
	// Closed before the outcome came: it is told in passing.
	cmd := d.m.testWebhooks()
	d.m.reader = nil
	d.run(cmd)
	if got := last[page.Toast](d); got.Level != page.Warn {
		t.Errorf("said %+v", got)
	}
}

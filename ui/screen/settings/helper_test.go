package settings

import (
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

type driver struct {
	uitest.Accounts[*driver]
	o Options
	m *Model
}

func newDriver(t *testing.T, accounts ...config.Profile) *driver {
	t.Helper()
	d := &driver{}
	d.Begin(t, d)
	d.o = Options{
		Paths:  d.Paths,
		Keys:   d.Keys,
		Getenv: d.Keys.Getenv,
		Profile: session.Profile{
			Name: config.LocalProfile, Local: true, Host: "127.0.0.1:7843",
			KeySource: "the library's own", Receiver: "http://127.0.0.1:7844",
		},
	}
	d.Add(accounts...)
	return d
}

func (d *driver) open() *driver {
	d.TB.Helper()
	d.m = New(d.o)
	d.Driver = uitest.Drive(d.TB, page.Settings, d.m, image.Pt(240, 50), func(driver *uitest.Driver) {
		driver.Drop = func(msg tea.Msg) bool { // the root handles it
			_, changed := msg.(Changed)
			if changed {
				driver.Out = append(driver.Out, msg)
			}
			return changed
		}
	})
	return d
}

func last[M tea.Msg](d *driver) M {
	d.TB.Helper()
	for i := len(d.Out) - 1; i >= 0; i-- {
		if msg, ok := d.Out[i].(M); ok {
			return msg
		}
	}
	var none M
	d.TB.Fatalf("no %T was said; said was %v:\n%s", none, d.Out, d.Drawn())
	return none
}

// answer picks the choice with this key in the last question.
func (d *driver) answer(key string) *driver {
	d.TB.Helper()
	ask := last[page.Ask](d)
	for i, c := range ask.Choices {
		if i == 0 && (c.Danger || c.Do != nil) {
			d.TB.Errorf("the first choice of %q is not the safe one", ask.Title)
		}
		if c.Key == key {
			d.Choose(ask, c.Label)
			return d
		}
	}
	d.TB.Fatalf("%q has no choice %q", ask.Title, key)
	return d
}

func (d *driver) to(name string) *driver {
	d.TB.Helper()
	for d.Press("home"); !strings.Contains(d.Text(), " "+name+" ─"); d.Press("down") {
		if strings.Contains(d.Text(), "─ Parallel uploads ─") {
			d.TB.Fatalf("there is no %s:\n%s", name, d.Text())
		}
	}
	return d
}

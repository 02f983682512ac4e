package account

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/config"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestExplain(t *testing.T) {
	key := &config.NoKeyError{Profile: "work"}
	locked := &config.NoKeyError{
		Profile: "work", Keyring: &config.KeyringError{Problem: config.KeyringLocked, Doing: "reading"},
	}
	missing := &config.NoKeyError{
		Profile: "work", Keyring: &config.KeyringError{Problem: config.KeyringNotFound, Doing: "reading"},
	}
	files := errors.Join(
		&config.FileError{Path: "/c.toml", Line: 3, Text: "one"},
		&config.FileError{Path: "/c.toml", Line: 5, Text: "two."},
	)
	tests := []struct {
		err  error
		want string
	}{
		{key, "No private key was found for the account work."},
		{missing, "No private key was found for the account work."},
		{locked, "No private key was found for the account work.\nThe keyring is locked."},
		{files, "/c.toml, line 3: one."},
		{fmt.Errorf("not changed: %w", files), "/c.toml, line 3: one."},
		{errors.New("it broke"), "It broke."},
		{errors.New("/a/b: it broke"), "/a/b: it broke."},
	}
	for _, tt := range tests {
		mediatest.Equal(t, Explain(tt.err), tt.want, "the explanation")
	}
}

func offered(kind config.Kind, field, typed string) string {
	f := fieldsOf(config.Profile{}, []string{"local", "work", "work-2"})
	*f.value["kind"] = string(kind)
	*f.value[field] = typed
	return f.accountName()
}

func TestOffersAName(t *testing.T) {
	for id, want := range map[string]string{
		"": "work-3", "müller": "m-ller", "local": "local-2", "a b": "a-b", "日本": "work-3", strings.Repeat("x", 99): strings.Repeat("x", 40),
	} {
		mediatest.Equal(t, offered(config.KindHosted, "id", id), want, "%q", id)
	}
	for address, want := range map[string]string{
		"": "work-3", "x": "x", "https://media.example.com/a": "example", "http://localhost:80": "localhost",
		"http://127.0.0.1:7843": "server", "http://[::1]:7843": "server", "https://.": "work-3",
	} {
		mediatest.Equal(t, offered(config.KindOther, "upload", address), want, "%q", address)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := offered(config.KindHosted, "id", rapid.String().Draw(t, "id"))
		if err := config.CheckProfileName(name); err != nil || name == "local" || name == "work" {
			t.Fatalf("%q: %v", name, err)
		}
	})
}

func TestViews(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	hostile := "\x1b[31m\u202e猫👩🏽‍🚀e\u0301\u0301\u0301\u0301\u0301\r\n" + strings.Repeat("long-name-", 10)
	steps := map[string]func(*driver){
		"form":  func(*driver) {},
		"typed": func(d *driver) { d.Press("enter").Typed("猫猫猫").Press("tab").Typed(hostile).Press("ctrl+s") },
		"own":   func(d *driver) { d.Press("right", "enter").Typed(hostile).Press("ctrl+s") },
		"key":   func(d *driver) { d.Press("enter").Typed("x").Press("ctrl+s").Typed(hostile).Press("enter") },
		"ways":  func(d *driver) { d.Press("enter").Typed("x").Press("ctrl+s", "ctrl+o", "G") },
		"file": func(d *driver) {
			d.Press("enter").Typed("x").Press("ctrl+s", "ctrl+o", "f").Typed(hostile).Press("enter")
		},
		"command": func(d *driver) {
			d.Press("enter").Typed("x").Press("ctrl+s", "ctrl+o", "c").Typed("/none/" + hostile).Press("enter")
		},
		"broken": func(d *driver) {
			d.Store.SetErr = errors.New(hostile)
			d.Press("enter").Typed("x").Press("ctrl+s").Typed("key").Press("enter").Sees("✗", "long-name")
		},
		"busy": func(d *driver) {
			d.Hold = &[]tea.Cmd{}
			d.Press("enter").Typed("x").Press("ctrl+s").Sees("Testing the keyring")
		},
	}
	for name, reach := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, Options{Mode: Add}).open()
			reach(d)
			uitest.Sweep(t, func(w, h int, th *theme.Theme) string { return d.flow.View(image.Pt(w, h), th) })
			for _, a := range d.flow.Actions() {
				if a.KeyLabel() == "" || a.Label() == "" || a.Group == "" || a.Do == nil {
					t.Errorf("action without words: %+v", a.Keys.Help())
				}
			}
		})
	}
}

//go:build linux

package config

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

// keyringState is a state of the real keyring, with the expected result.
type keyringState struct {
	tools  []string
	bus    string            // configuration of the bus; "" for the usual one
	script string            // run by sh in its own session before the child
	env    map[string]string // of the child; an empty value removes a variable
	want   KeyringProblem
	nobus  bool // without a session bus
}

const (
	startDaemon = `printf %s ci-only | gnome-keyring-daemon --unlock --components=secrets >/dev/null; ` + awaitDaemon
	awaitDaemon = `i=0; until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q "boolean true"; do i=$((i+1)); [ $i -lt 100 ] || exit 97; sleep 0.1; done; `
	lockDaemon  = `dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null; `
	daemonPID   = `$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets | tr -dc "0-9 " | awk '{print $NF}')`
	// emptyBus is a bus that starts no services.
	emptyBus = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`
)

// shortTimeout is the limit in states without an answer.
const shortTimeout = 400 * time.Millisecond

var daemonTools = []string{"dbus-run-session", "dbus-send", "gnome-keyring-daemon", "sh", "awk"}

// TestRealKeyring uses the real gnome-keyring on its own session bus, in every broken state that a test can
// create.
func TestRealKeyring(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]keyringState{
		"locked": {tools: daemonTools, script: startDaemon + lockDaemon, want: KeyringLocked},
		"locked with a display that shows nothing": {
			tools: daemonTools, script: startDaemon + lockDaemon, env: map[string]string{"DISPLAY": ":987"}, want: KeyringLocked,
		},
		"no collection": {
			tools: daemonTools, script: `gnome-keyring-daemon --start --components=secrets >/dev/null; ` + awaitDaemon,
			want: KeyringMissing,
		},
		"no service":    {tools: daemonTools[:1], bus: emptyBus, want: KeyringMissing},
		"never answers": {tools: daemonTools, script: startDaemon + `pid=` + daemonPID + `; kill -STOP $pid; trap "kill -CONT $pid" EXIT; `, want: KeyringSilent},
		"bad address":   {nobus: true, env: map[string]string{busVariable: "unix:path=/nowhere/bus"}, want: KeyringMissing},
		"odd address":   {nobus: true, env: map[string]string{busVariable: "nonsense"}, want: KeyringMissing},
		"no bus":        {nobus: true, want: KeyringMissing},
		"autolaunch":    {nobus: true, env: map[string]string{busVariable: "autolaunch:"}, want: KeyringMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tool := range state.tools {
				mediatest.Tool(t, tool)
			}
			runKeyringChild(t, state)
		})
	}
}

// runKeyringChild runs TestKeyringChild of this binary in a state.
func runKeyringChild(t *testing.T, state keyringState) {
	t.Helper()
	home, err := os.MkdirTemp("", "md") // short enough for the path of a socket
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	launched := filepath.Join(home, "launched")
	// Without a bus nothing may start one, because dbus-launch would leave two daemons with each call.
	launcher := "#!/bin/sh\necho x >> " + launched + "\nexit 1\n"
	must(t, os.WriteFile(filepath.Join(home, "dbus-launch"), []byte(launcher), 0o755))
	if state.nobus && state.env == nil && exists("/run/user/"+strconv.Itoa(os.Getuid())+"/bus") {
		t.Skip("this user has a session bus at its usual place")
	}
	self, err := os.Executable()
	must(t, err)
	child := []string{self, "-test.run=^TestKeyringChild$", "-test.timeout=60s"}
	args := child
	if !state.nobus {
		args = []string{"dbus-run-session"}
		if state.bus != "" {
			file := filepath.Join(home, "bus.conf")
			must(t, os.WriteFile(file, []byte(state.bus), 0o600))
			args = append(args, "--config-file="+file)
		}
		args = append(append(args, "--", "sh", "-euc", state.script+`"$@"`, "sh"), child...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = home
	cmd.WaitDelay = time.Second
	cmd.Env = []string{
		"PATH=" + home + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home,
		stateVariable + "=" + strconv.Itoa(int(state.want)),
		"GOCOVERDIR=" + home, "GORACE=atexit_sleep_ms=0",
	}
	for name, value := range state.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	mediatest.Equal(t, exists(launched), false, "a session bus was started")
}

// TestKeyringChild runs in the session of runKeyringChild.
func TestKeyringChild(t *testing.T) {
	number, err := strconv.Atoi(os.Getenv(stateVariable))
	if err != nil {
		t.Skip("only run by TestRealKeyring")
	}
	want := KeyringProblem(number)
	k := NewKeyring()
	if want == KeyringSilent {
		// TestKeyringSilent waits the full three seconds
		k = newKeyring(systemBackend, probeKeyring, shortTimeout)
	}
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := k.Get(t.Context(), "work"); return err },
		"delete": func() error { return k.Delete(t.Context(), "work") },
		"try":    func() error { return k.Try(t.Context()) },
	} {
		if err := call(); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

func TestFindBus(t *testing.T) {
	uid := "/run/user/" + strconv.Itoa(os.Getuid())
	for _, test := range []struct {
		env     []string
		sockets string
		want    string
	}{
		{[]string{busVariable, "unix:path=/x"}, "", "unix:path=/x"},
		{[]string{busVariable, "unix:path=/x", "XDG_RUNTIME_DIR", "/r"}, "/r/bus", "unix:path=/x"},
		{[]string{busVariable, "autolaunch:"}, "", ""},
		{nil, "", ""},
		{nil, uid + "/bus", "unix:path=" + uid + "/bus"},
		{[]string{"XDG_RUNTIME_DIR", "/r"}, "/r/bus " + uid + "/bus", "unix:path=/r/bus"},
		{[]string{"XDG_RUNTIME_DIR", "r"}, "r/bus", ""},
	} {
		got := findBus(env(test.env...), func(path string) bool {
			return strings.Contains(" "+test.sockets+" ", " "+path+" ")
		})
		mediatest.Equal(t, got, test.want, "%v with %q", test.env, test.sockets)
	}
}

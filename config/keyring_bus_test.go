//go:build linux

package config

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// keyringState is a state of the real keyring, with the expected result.
type keyringState struct {
	tools  []string
	bus    string            // configuration of the bus; "" for the usual one
	script string            // run by sh in its own session before the child
	env    map[string]string // of the child; an empty value removes a variable
	want   KeyringProblem    // 0 if the keyring works
	within time.Duration     // for one call; 0 for KeyringTimeout
	nobus  bool              // without a session bus
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

// busyMachine is the extra time that a call may take.
const busyMachine = 30 * time.Second

// shortLimit is the limit in states without an answer.
const shortLimit = 400 * time.Millisecond

var daemonTools = []string{"dbus-run-session", "dbus-send", "gnome-keyring-daemon", "sh", "awk"}

// TestRealKeyring uses the real gnome-keyring on its own session bus, in every state that a test can create.
func TestRealKeyring(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]keyringState{
		"works":         {tools: daemonTools, script: startDaemon},
		"works by name": {tools: daemonTools, script: startDaemon + `p=${DBUS_SESSION_BUS_ADDRESS#unix:path=}; ln -s "${p%%,*}" "$XDG_RUNTIME_DIR/bus"; unset DBUS_SESSION_BUS_ADDRESS; `},
		"locked":        {tools: daemonTools, script: startDaemon + lockDaemon, want: KeyringLocked, within: time.Second},
		"locked with a display that shows nothing": {
			tools: daemonTools, script: startDaemon + lockDaemon, env: map[string]string{"DISPLAY": ":987"}, want: KeyringLocked,
		},
		"no collection": {
			tools: daemonTools, script: `gnome-keyring-daemon --start --components=secrets >/dev/null; ` + awaitDaemon,
			want: KeyringMissing, within: time.Second,
		},
		"no service":    {tools: daemonTools[:1], bus: emptyBus, want: KeyringMissing, within: time.Second},
		"never answers": {tools: daemonTools, script: startDaemon + `pid=` + daemonPID + `; kill -STOP $pid; trap "kill -CONT $pid" EXIT; `, want: KeyringSilent, within: shortLimit},
		"bad address":   {nobus: true, env: map[string]string{busVariable: "unix:path=/nowhere/bus"}, want: KeyringMissing, within: time.Second},
		"odd address":   {nobus: true, env: map[string]string{busVariable: "nonsense"}, want: KeyringMissing, within: time.Second},
		"no bus":        {nobus: true, want: KeyringMissing, within: time.Second},
		"autolaunch":    {nobus: true, env: map[string]string{busVariable: "autolaunch:"}, want: KeyringMissing, within: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need(t, state.tools...)
			runKeyringChild(t, state)
		})
	}
}

// shortDir makes a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "md")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// runKeyringChild runs TestKeyringChild of this binary in a state.
func runKeyringChild(t *testing.T, state keyringState) {
	t.Helper()
	home := shortDir(t)
	launched := filepath.Join(home, "launched")
	// Without a bus nothing may start one, because dbus-launch would leave two daemons with each call.
	launcher := "#!/bin/sh\necho x >> " + launched + "\nexit 1\n"
	if err := os.WriteFile(filepath.Join(home, "dbus-launch"), []byte(launcher), 0o755); err != nil {
		t.Fatal(err)
	}
	if state.nobus && state.env == nil && exists("/run/user/"+strconv.Itoa(os.Getuid())+"/bus") {
		t.Skip("this user has a session bus at its usual place")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := []string{self, "-test.run=^TestKeyringChild$", "-test.timeout=60s"}
	args := child
	if !state.nobus {
		args = []string{"dbus-run-session"}
		if state.bus != "" {
			file := filepath.Join(home, "bus.conf")
			if err := os.WriteFile(file, []byte(state.bus), 0o600); err != nil {
				t.Fatal(err)
			}
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
		stateVariable + "=" + strconv.Itoa(int(state.want)) + "," + cmp.Or(state.within, KeyringTimeout).String(),
		"GOCOVERDIR=" + home, "GORACE=atexit_sleep_ms=0",
	}
	for name, value := range state.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if exists(launched) {
		t.Error("a session bus was started")
	}
}

// TestKeyringChild runs in the session of runKeyringChild.
func TestKeyringChild(t *testing.T) {
	said, limit, ok := strings.Cut(os.Getenv(stateVariable), ",")
	if !ok {
		t.Skip("only run by TestRealKeyring and TestKeyringOddBus")
	}
	number, err := strconv.Atoi(said)
	if err != nil {
		t.Fatal(err)
	}
	within, err := time.ParseDuration(limit)
	if err != nil {
		t.Fatal(err)
	}
	if number == 0 {
		useKeyring(t, NewKeyring())
		return
	}
	want := KeyringProblem(number)
	k := NewKeyring()
	if want == KeyringSilent {
		k = newKeyring(systemBackend, probeKeyring, within) // TestKeyringSilent waits the full three seconds
	}
	calls := map[string]func() error{
		"get":    func() error { _, err := k.Get(t.Context(), "work"); return err },
		"delete": func() error { return k.Delete(t.Context(), "work") },
		"try":    func() error { return k.Try(t.Context()) },
		"get again": func() error {
			_, _, err := (&Keys{Keyring: k}).Find(t.Context(), Profile{Name: "work"})
			if !errors.Is(err, ErrNoKey) {
				t.Errorf("not to be asked for: %v", err)
			}
			return err
		},
	}
	for name, call := range calls {
		start := time.Now()
		err := call()
		// After a slow Set the keyring is read to see whether it worked. The rest is for a busy machine.
		// TestKeyringSilent measures exactly.
		if took, most := time.Since(start), 2*within+busyMachine; took > most {
			t.Errorf("%s took %v, want at most %v", name, took, most)
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

// useKeyring uses a working keyring as the program does.
func useKeyring(t *testing.T, k *Keyring) {
	ctx := t.Context()
	if err := k.Try(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Get(ctx, "work"); !errors.Is(err, KeyringNotFound) {
		t.Errorf("got %v", err)
	}
	if err := k.Delete(ctx, "work"); !errors.Is(err, KeyringNotFound) {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{"private_1", "private_2=", "schlüssel-键", strings.Repeat("x", maxSecret)} {
		if err := k.Set(ctx, "work", secretOf(t, text)); err != nil {
			t.Fatal(err)
		}
		if key, err := k.Get(ctx, "work"); err != nil || key.Reveal() != text {
			t.Errorf("%.20q was read back wrong: %v", text, err)
		}
	}
	if err := k.Set(ctx, "other", secretOf(t, "private_3")); err != nil {
		t.Fatal(err)
	}
	if err := k.Delete(ctx, "work"); err != nil {
		t.Error(err)
	}
	if _, err := k.Get(ctx, "work"); !errors.Is(err, KeyringNotFound) {
		t.Errorf("after deleting it: %v", err)
	}
	key, source, err := (&Keys{Keyring: k}).Find(ctx, Profile{Name: "other"})
	if err != nil || key.Reveal() != "private_3" || source != SourceKeyring {
		t.Errorf("%v %v", source, err)
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
		if got != test.want {
			t.Errorf("%v with %q: got %q, want %q", test.env, test.sockets, got, test.want)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

//go:build linux

package cli_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// keyringSession unlocks a private keyring, waits for it, and runs the rest.
const keyringSession = `printf %s ci-only | gnome-keyring-daemon --unlock --components=secrets >/dev/null
i=0; until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q "boolean true"; do i=$((i+1)); [ $i -lt 200 ] || exit 97; sleep 0.1; done
step() { want=$1; shift; code=0; "$@" >out 2>&1 || code=$?; cat out; [ $code = $want ] || { echo "exit code $code, want $want: $*"; exit 98; }; }
says() { grep -q -e "$1" out || { echo "not said: $1"; exit 99; }; }
`

// keyringActions stores, uses, replaces and deletes a key, and then locks the keyring.
const keyringActions = `
step 0 mediadesk profile add work --upload-url "$SERVICE"
step 3 mediadesk key where --profile work
says "key set"
printf 'private_first\n' | step 0 mediadesk key set --profile work
says "in the keyring"
step 0 mediadesk key where --profile work --json
says '"source":"keyring"'
step 0 mediadesk list --profile work
printf 'private_second\n' | step 0 mediadesk key set --profile work
step 0 mediadesk list --profile work
printf 'two words\n' | step 3 mediadesk key set --profile work
step 0 mediadesk list --profile work
step 0 mediadesk doctor --profile work --json
says '"check":"keyring","verdict":"ok"'
step 0 env MEDIADESK_PRIVATE_KEY=private_other mediadesk key where --profile work
says environment
step 0 mediadesk key forget --profile work
step 3 mediadesk key where --profile work
step 3 mediadesk key forget --profile work
says "no such key"
printf 'private_third\n' | step 0 mediadesk key set --profile work
dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null
step 3 mediadesk key where --profile work
says "the keyring is locked; unlock it"
printf 'private_fourth\n' | step 3 mediadesk key set --profile work
says locked
step 1 mediadesk doctor --profile work
says 'warning  keyring'
step 0 env MEDIADESK_PRIVATE_KEY=private_env mediadesk list --profile work
step 3 env DBUS_SESSION_BUS_ADDRESS= mediadesk key where --profile work
says "no session bus was found"
`

// TestKeyInKeyring runs the key commands with the real keyring.
func TestKeyInKeyring(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	for _, tool := range []string{"dbus-run-session", "dbus-send", "gnome-keyring-daemon"} {
		mediatest.Tool(t, tool)
	}
	var mu sync.Mutex
	var used []string
	service := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, _, ok := r.BasicAuth()
		mu.Lock()
		defer mu.Unlock()
		if ok {
			used = append(used, user)
		}
		w.Write([]byte("[]"))
	}))
	binary := uitest.Build(t)
	home, err := os.MkdirTemp("", "md") // short enough for socket paths
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	cmd := exec.Command("dbus-run-session", "--", "sh", "-euc", keyringSession+keyringActions)
	cmd.Dir = home
	cmd.Env = []string{
		"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home,
		"MEDIADESK_HOME=" + filepath.Join(home, "desk"), "SERVICE=" + service,
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mediatest.Equal(t, strings.Contains(string(out), "private_"), false, "a key was printed:\n%s", out)
	if got := strings.Join(used, " "); got != "private_first private_second private_second private_second private_env" {
		t.Errorf("the service got the keys %q", got)
	}
}

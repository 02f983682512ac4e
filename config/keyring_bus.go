//go:build linux || freebsd || netbsd || openbsd || dragonfly

package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	ss "github.com/zalando/go-keyring/secret_service"
)

const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// findBus returns the address of the session bus, or "". Check it before calling the keyring
// library: without a bus, and with dbus-launch installed, each call of the library starts two
// daemons that never end.
func findBus(getenv func(string) string, isSocket func(path string) bool) string {
	if address := getenv(busVariable); address != "" && address != "autolaunch:" {
		return address
	}
	for _, dir := range []string{getenv("XDG_RUNTIME_DIR"), "/run/user/" + strconv.Itoa(os.Getuid())} {
		if socket := filepath.Join(dir, "bus"); filepath.IsAbs(dir) && isSocket(socket) {
			return "unix:path=" + socket
		}
	}
	return ""
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0
}

// probeKeyring checks the state of the keyring and returns a *KeyringError for the first problem.
// The library itself distinguishes few of these states, and hangs in some.
func probeKeyring(ctx context.Context) error {
	address := findBus(os.Getenv, isSocket)
	if address == "" {
		return &KeyringError{Problem: KeyringMissing, Cause: errors.New("no session bus was found")}
	}
	if os.Getenv(busVariable) != address {
		// The library checks fewer places than findBus.
		if err := os.Setenv(busVariable, address); err != nil {
			return err
		}
	}
	secrets, err := ss.NewSecretService()
	if err != nil {
		return &KeyringError{Problem: KeyringMissing, Cause: err}
	}
	collection := secrets.GetLoginCollection()
	locked, err := collection.GetProperty("org.freedesktop.Secret.Collection.Locked")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // nothing provides the service, it did not start, or it has no collection
		return &KeyringError{Problem: KeyringMissing, Cause: err}
	}
	// With a display, continue: the keyring then shows the window that unlocks it.
	display := os.Getenv("DISPLAY") + os.Getenv("WAYLAND_DISPLAY")
	if isLocked, _ := locked.Value().(bool); isLocked && display == "" {
		return &KeyringError{Problem: KeyringLocked}
	}
	return nil
}

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

const (
	busVariable    = "DBUS_SESSION_BUS_ADDRESS"
	secretsName    = "org.freedesktop.secrets"
	secretsService = "org.freedesktop.Secret.Service"
	lockedProperty = "org.freedesktop.Secret.Collection.Locked"
)

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
	return probeCollection(ctx, secrets)
}

// probeCollection checks whether the collection that the library uses exists and is unlocked.
func probeCollection(ctx context.Context, secrets *ss.SecretService) error {
	service := secrets.Object(secretsName, "/org/freedesktop/secrets")
	collection := secrets.GetCollection("login")
	if secrets.CheckCollectionPath(collection.Path()) != nil {
		path := collection.Path()
		if err := service.CallWithContext(ctx, secretsService+".ReadAlias", 0, "default").Store(&path); err != nil {
			// Nothing provides the service, or it could be activated but did not start.
			return busError(err)
		}
		if path == "/" {
			return &KeyringError{Problem: KeyringMissing, Cause: errors.New("it has no collection")}
		}
		collection = secrets.Object(secretsName, path)
	}
	locked, err := collection.GetProperty(lockedProperty)
	if err != nil {
		return busError(err)
	}
	if isLocked, ok := locked.Value().(bool); ok && isLocked && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		// With a display, continue: the keyring then shows the window that unlocks it.
		return &KeyringError{Problem: KeyringLocked}
	}
	return nil
}

// busError returns a KeyringError for an error of the bus, or the error of ctx if that has ended.
func busError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return &KeyringError{Problem: KeyringMissing, Cause: err}
}

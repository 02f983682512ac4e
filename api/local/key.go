package local

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mediadesk/api/atomicfile"
)

// FolderKey returns the key of the library in dir and the path of its file. The first call creates
// both folder and key, readable by the owner alone (0600).
func FolderKey(dir string) (secret, path string, err error) {
	path = filepath.Join(dir, "key")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", path, fmt.Errorf("make the folder of the local library: %w", err)
	}
	if secret, err = readKey(path); !errors.Is(err, fs.ErrNotExist) {
		return secret, path, err
	}
	var b [32]byte
	rand.Read(b[:])
	secret = "private_" + base64.RawURLEncoding.EncodeToString(b[:])
	err = atomicfile.Create(path, []byte(secret+"\n"), 0o600)
	if errors.Is(err, fs.ErrExist) { // another process was first
		secret, err = readKey(path)
		return secret, path, err
	}
	if err != nil {
		return "", path, fmt.Errorf("write the key of the local library: %w", err)
	}
	return secret, path, nil
}

func readKey(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("the key file %s is empty; remove it to get a new key", path)
	}
	return secret, nil
}

package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "mediadesk.log")
	var r Redactor
	key, err := NewSecret(testKey)
	must(t, err)
	r.Add(key)
	log := NewLog(path, &r)
	quiet, loud := log.Logger(false), log.Logger(true)
	quiet.Debug("not wanted")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("a log without a line was made")
	}
	quiet.Info("sent", "key", testKey)
	loud.Debug("wanted", "key", key)
	must(t, log.Close())
	text, err := os.ReadFile(path)
	must(t, err)
	if bytes.Contains(text, []byte(testKey)) || bytes.Contains(text, []byte("not wanted")) ||
		!bytes.Contains(text, []byte("msg=wanted")) {
		t.Errorf("log:\n%s", text)
	}
	must(t, os.Truncate(path, maxLog+1))
	quiet.Info("again")
	must(t, log.Close())
	if text, _ := os.ReadFile(path); !bytes.Contains(text, []byte("again")) || len(text) > 1000 {
		t.Errorf("a large log was not put aside: %d bytes", len(text))
	}
	_, err = os.Stat(path + ".1")
	must(t, err)
}

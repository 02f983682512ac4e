//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLoadStrangeFiles(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no FIFO here:", err)
	}
	for path, says := range map[string]string{
		dir: "it is not a file", fifo: "it is not a file",
		filepath.Join(write(t, ""), "below"): "cannot be read", write(t, strings.Repeat("#\n", 1<<20)): "larger than",
	} {
		if _, err := Load(Paths{Config: path}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

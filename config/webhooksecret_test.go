package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWebhookSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(file, []byte("whsec_file\n\n  whsec_next\r\n"), 0o600))
	env := ""
	keys := &Keys{Getenv: func(name string) string {
		if name == SecretVariable {
			return env
		}
		return ""
	}}
	work := Profile{Name: "work", Kind: KindOther}
	look := func(p Profile, want string) {
		t.Helper()
		list, err := keys.WebhookSecrets(p)
		var texts []string
		for _, secret := range list {
			texts = append(texts, secret.Reveal())
		}
		if got := strings.Join(texts, " "); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	look(work, "")
	env = "whsec_env whsec_next"
	look(work, "whsec_env whsec_next")
	look(Profile{Name: LocalProfile, Kind: KindLocal}, "")
	work.WebhookSecretFile = file
	look(work, "whsec_file whsec_next")
	work.WebhookSecretFile = file + "-none"
	if _, err := keys.WebhookSecrets(work); err == nil || !strings.Contains(err.Error(), "work") {
		t.Errorf("a missing file: %v", err)
	}
	work.WebhookSecretFile = ""
	env = "a\x00b"
	if _, err := keys.WebhookSecrets(work); err == nil || strings.Contains(err.Error(), env) {
		t.Errorf("bad text: %v", err)
	}
}

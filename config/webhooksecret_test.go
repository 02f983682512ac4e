package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWebhookSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("whsec_file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := ""
	keys := &Keys{Getenv: func(name string) string {
		if name == SecretVariable {
			return env
		}
		return ""
	}}
	work := Profile{Name: "work", Kind: KindOwn}
	look := func(p Profile, want string) {
		t.Helper()
		if got, err := keys.WebhookSecret(p); err != nil || got.Reveal() != want {
			t.Errorf("%q, %v; want %q", got.Reveal(), err, want)
		}
	}
	look(work, "")
	env = "whsec_env"
	look(work, "whsec_env")
	look(Profile{Name: LocalProfile, Kind: KindLocal}, "")
	work.WebhookSecretFile = file
	look(work, "whsec_file")
	work.WebhookSecretFile = file + "-none"
	if _, err := keys.WebhookSecret(work); err == nil || !strings.Contains(err.Error(), "work") {
		t.Errorf("a missing file: %v", err)
	}
	work.WebhookSecretFile = ""
	env = "two words"
	if _, err := keys.WebhookSecret(work); err == nil || strings.Contains(err.Error(), env) {
		t.Errorf("bad text: %v", err)
	}
}

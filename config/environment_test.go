package config

import (
	"os"
	"testing"
)

func TestTakeSecrets(t *testing.T) {
	t.Setenv(KeyVariable, "private_x")
	t.Setenv(SecretVariable, "")
	t.Setenv("EDITOR", "vi")
	getenv := RemoveSecrets()
	if _, there := os.LookupEnv(KeyVariable); there || os.Getenv(KeyVariable) != "" {
		t.Error("the key is still in the environment")
	}
	for name, want := range map[string]string{KeyVariable: "private_x", SecretVariable: "", "EDITOR": "vi"} {
		if got := getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

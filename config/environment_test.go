package config

import (
	"os"
	"testing"

	"mediadesk/api/media/mediatest"
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
		mediatest.Equal(t, getenv(name), want, "%s is", name)
	}
}

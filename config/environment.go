package config

import "os"

// SecretVariables are the environment variables that hold secrets.
var SecretVariables = []string{KeyVariable, SecretVariable}

// RemoveSecrets removes the secrets from the environment of this process, so that no child process (editor,
// clipboard tool, browser) inherits them. It returns an os.Getenv that still knows them. Call it once, before
// starting any process.
func RemoveSecrets() (getenv func(string) string) {
	taken := map[string]string{}
	for _, name := range SecretVariables {
		if value, ok := os.LookupEnv(name); ok && os.Unsetenv(name) == nil {
			taken[name] = value
		}
	}
	return func(name string) string {
		if value, ok := taken[name]; ok {
			return value
		}
		return os.Getenv(name)
	}
}

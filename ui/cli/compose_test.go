package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mediadesk/config"
)

// TestComposeExample: serve accepts the command and the database of the Docker Compose example.
func TestComposeExample(t *testing.T) {
	text, err := os.ReadFile("../../docs/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`command: \[serve, (.*)\]`).FindSubmatch(text)
	if command == nil {
		t.Fatal("the example has no command")
	}
	args := strings.Split(strings.ReplaceAll(string(command[1]), `"`, ""), ", ")
	p := &Program{Getenv: func(string) string { return "" }}
	cmd := newServe(p, &flags{})
	if err := cmd.ParseFlags(args); err != nil {
		t.Error(err)
	}
	database := regexp.MustCompile(config.DatabaseVariable + `: (\S+)`).FindSubmatch(text)
	if database == nil {
		t.Fatal("the example has no database")
	}
	if err := config.CheckDatabase(string(database[1]), true); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(text), storageVariable+": s3://") {
		t.Error("the example has no store")
	}
}

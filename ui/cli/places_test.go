package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/config"
)

// TestComposeExample: serve accepts the command and the database of the Docker Compose example.
func TestComposeExample(t *testing.T) {
	text, err := os.ReadFile("../../docs/examples/compose/compose.yaml")
	must(t, err)
	command := regexp.MustCompile(`command: \[serve, (.*)\]`).FindSubmatch(text)
	if command == nil {
		t.Fatal("the example has no command")
	}
	args := strings.Split(strings.ReplaceAll(string(command[1]), `"`, ""), ", ")
	p := &Program{Getenv: func(string) string { return "" }}
	cmd := newServe(p)
	must(t, cmd.ParseFlags(args))
	database := regexp.MustCompile(config.DatabaseVariable + `: (\S+)`).FindSubmatch(text)
	if database == nil {
		t.Fatal("the example has no database")
	}
	must(t, config.CheckDatabase(string(database[1]), true))
	if !strings.Contains(string(text), storageVariable+": s3://") {
		t.Error("the example has no store")
	}
}

// TestPlaces: the start of serve names the folder, the database and the storage of the library,
// without their secrets.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		flags serveFlags
		want  string
	}{
		{serveFlags{Options: local.Options{Dir: "/data\n"}}, "  folder    /data\\x0a\n"},
		{serveFlags{Options: local.Options{Dir: "/tmp/x"}, ephemeral: true}, "  folder    /tmp/x (removed at the end)\n"},
		{
			serveFlags{Options: local.Options{
				Database: "postgres://user:secret@db:5432/media",
				Storage:  "s3://media?region=eu&endpoint=http%3A%2F%2Fuser:secret@store",
			}},
			"  records   PostgreSQL database media at db:5432\n  contents  s3://media?endpoint=http%3A%2F%2Fuser%3Axxxxx%40store&region=eu\n",
		},
	} {
		mediatest.Equal(t, c.flags.places(10), c.want, "the places")
	}
}

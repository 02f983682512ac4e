//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

// notRun are parts of examples that a test cannot run, and why.
var notRun = map[string]string{
	"completion": "other shells", "key set": "a keyring", "key forget": "a keyring", "--follow": "runs until ctrl+c", "s3://": "an S3 store",
	"serve --ephemeral": "runs until ctrl+c", "serve --data": "runs until ctrl+c", "mediadesk holiday/*.jpg": "the screens", "man -l": "man",
}

// TestExamples runs every example of the help as it stands, each with a library of its own that has the
// files of the examples.
func TestExamples(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	binary, dir := uitest.Build(t), t.TempDir()
	env := append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+dir+":"+os.Getenv("PATH"), "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+dir)
	run := func(t *testing.T, at, script string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = at
		cmd.Env = append(slices.Clip(env), "MEDIADESK_HOME="+filepath.Join(at, "home"), "HOME="+at)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	for _, tool := range []string{"npm", "xdg-open"} {
		must(t, os.WriteFile(filepath.Join(dir, tool), []byte("#!/bin/sh\n"), 0o700))
	}
	template := filepath.Join(dir, "template")
	must(t, os.CopyFS(filepath.Join(template, "pictures"), assets.Samples()))
	server := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(dir, "account"), "--json")
	server.Env = append(slices.Clip(env), "MEDIADESK_HOME="+filepath.Join(dir, "other"))
	line, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	must(t, err)
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	var address string
	_, err = fmt.Fscanf(line, `{"address":%q`, &address)
	must(t, err)
	run(t, template, fmt.Sprintf(`
mv pictures/logo.png logo.png; cp pictures/mug.jpg photo.jpg; cp pictures/mug.jpg cut-out.png
rm pictures/harbour.jpg; cp -r pictures holiday; cp -r pictures fixtures
mediadesk profile add work --upload-url %[1]s --delivery-url %[1]s --key-file %[2]s/account/key
mediadesk profile add lab --upload-url %[1]s --delivery-url %[1]s --key-file %[2]s/account/key
for name in /summer/a /summer/b /inbox/a /inbox/2026/c; do
  mediadesk upload photo.jpg --name $(basename $name).jpg --folder $(dirname $name)/ --unique off
done
mediadesk upload logo.png --name a.jpg --folder /summer/ --unique off
mediadesk mkdir /drafts/
mediadesk details /summer/a.jpg --add-tags new`, address, dir))
	version := run(t, template, "mediadesk versions /summer/a.jpg --jq 'select(.versionInfo.name==\"Version 1\").versionInfo.id'")
	for _, c := range allCommands(newRoot(&Program{Getenv: os.Getenv})) {
		for _, example := range strings.Split(strings.ReplaceAll(c.Example, "\\\n", ""), "\n") {
			skip := example == "" || example == "mediadesk"
			for part := range notRun {
				skip = skip || strings.Contains(example, part)
			}
			if skip {
				continue
			}
			t.Run(example, func(t *testing.T) {
				t.Parallel()
				at := t.TempDir()
				must(t, os.CopyFS(at, os.DirFS(template)))
				run(t, at, strings.ReplaceAll(example, "65f1c0ffee65f1c0ffee65f2",
					strings.TrimSpace(version)))
			})
		}
	}
}

//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/assets"
	"mediadesk/ui/uitest"
)

// guideTools are the tools that sections of the guide need besides mediadesk.
var guideTools = map[string]string{"curl": "curl", "Health, reset, requests": "curl", "Seed": "curl", "Web pages": "openssl", "Faults on purpose": "curl", "Faults while it runs": "curl", "For developers": "curl"}

// TestGuide runs the shell commands in the README and in the guides as written. Each section runs in
// its own folder, with a picture and with the files whose name is a comment at their beginning.
func TestGuide(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	pages, err := filepath.Glob("../../docs/*.md")
	must(t, err)
	var text []byte
	for _, page := range append(pages, "../../README.md") {
		more, err := os.ReadFile(page)
		must(t, err)
		text = append(append(text, more...), "\n## "...)
	}
	picture, err := fs.ReadFile(assets.Samples(), "mug.jpg")
	must(t, err)
	binary := uitest.Build(t)
	block := regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	named := regexp.MustCompile(`^(?://|#) (\S+)\n`)
	ran := 0
	for section := range strings.SplitSeq(string(text), "\n## ") {
		title, body, _ := strings.Cut(section, "\n")
		blocks := block.FindAllStringSubmatch(body, -1)
		if !strings.Contains(body, "```sh\n") {
			continue
		}
		ran++
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			if tool := guideTools[title]; tool != "" {
				mediatest.Tool(t, tool)
			}
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "photo.jpg"), picture, 0o600))
			for _, b := range blocks {
				if name := named.FindStringSubmatch(b[2]); b[1] != "sh" && name != nil {
					must(t, os.WriteFile(filepath.Join(dir, name[1]), []byte(b[2]), 0o600))
				}
			}
			for _, b := range blocks {
				if b[1] != "sh" {
					continue
				}
				out, err := guideRun(dir, binary, b[2])
				if err != nil {
					t.Errorf("%s%v\n%s", b[2], err, out)
				}
			}
		})
	}
	if ran < 8 {
		t.Errorf("found commands in %d sections of the guide", ran)
	}
}

// TestGuideExamples runs each folder of docs/examples as it stands: its file run exits with 77 if it needs
// something that this machine does not have.
func TestGuideExamples(t *testing.T) {
	if mediatest.Racing {
		t.Skip("other processes do the work; the run without the race detector has them")
	}
	mediatest.OnlyWithEverything(t)
	mediatest.Tool(t, "npm")
	binary, dir := uitest.Build(t), t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("../../docs/examples")))
	examples, err := filepath.Glob(filepath.Join(dir, "*", "run"))
	if err != nil || len(examples) < 9 {
		t.Fatalf("found %q, %v", examples, err)
	}
	picture, err := fs.ReadFile(assets.Samples(), "mug.jpg")
	must(t, err)
	for _, example := range examples {
		at := filepath.Dir(example)
		t.Run(filepath.Base(at), func(t *testing.T) {
			t.Parallel() // they mostly wait for a network
			must(t, os.WriteFile(filepath.Join(at, "photo.jpg"), picture, 0o600))
			out, err := guideRun(at, binary, "./run")
			if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.ExitCode() == 77 {
				t.Skip(out)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// guideRun runs commands in dir, with mediadesk in the PATH.
func guideRun(dir, binary, commands string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command("sh", "-ec", commands)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	repository, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	cmd.Env = append(os.Environ(), "MEDIADESK_REPOSITORY=file://"+repository, "GOFLAGS=-trimpath", // compiled once
		"PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "MEDIADESK_HOME="+filepath.Join(dir, "home"))
	err = cmd.Run()
	return out.String(), err
}

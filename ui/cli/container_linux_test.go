package cli_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/uitest"
)

// TestContainer builds the image of the Dockerfile without a registry and starts it. The image
// serves, passes its own health check and does not run as root.
func TestContainer(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	mediatest.Tool(t, "buildah")
	if os.Geteuid() != 0 {
		t.Skip("only root can build here")
	}
	dir := t.TempDir()
	binary := uitest.Build(t)
	folder := filepath.Join(dir, "image")
	storage := []string{"--root", filepath.Join(dir, "storage"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs"}
	buildah := func(command string, args ...string) *exec.Cmd {
		cmd := exec.Command("buildah", append(append(append([]string{}, storage...), command), args...)...)
		cmd.Env = append(os.Environ(), "BUILDAH_ISOLATION=chroot")
		return cmd
	}
	run := func(cmd *exec.Cmd) string {
		t.Helper()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	// Containers within containers are often forbidden.
	empty, err := buildah("from", "scratch").Output()
	if err != nil {
		t.Skipf("no container can be made on this machine: %v", err)
	}
	probe := strings.TrimSpace(string(empty))
	defer buildah("rm", probe).Run()
	run(buildah("copy", probe, binary, "/mediadesk"))
	if out, err := buildah("run", probe, "--", "/mediadesk", "--version").CombinedOutput(); err != nil {
		t.Skipf("no container can be run on this machine: %v\n%s", err, out)
	}
	run(exec.Command("../../.ci/image", binary, folder))
	run(buildah("build", "--format", "docker", "--tag", "mediadesk", folder))
	user := run(buildah("inspect", "--type", "image", "--format", "{{.Docker.Config.User}} {{.Docker.Config.Healthcheck.Test}} {{.Docker.Config.Volumes}}", "mediadesk"))
	if !strings.HasPrefix(user, "65532:65532 [CMD /mediadesk serve --health] map[/data:") {
		t.Errorf("got the user, health check and volumes %s", user)
	}
	container := run(buildah("from", "--pull-never", "localhost/mediadesk"))
	defer buildah("rm", container).Run()

	serve := buildah("run", "--env", "MEDIADESK_PRIVATE_KEY=private_of_the_container", container, "--",
		"/mediadesk", "serve", "--addr", "127.0.0.1:0", "--data", "/data/library", "--json")
	serve.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := serve.StdoutPipe()
	must(t, err)
	must(t, serve.Start())
	defer func() {
		_ = syscall.Kill(-serve.Process.Pid, syscall.SIGTERM)
		_ = serve.Wait() // buildah reports an error of its own
	}()
	text, err := bufio.NewReader(out).ReadBytes('\n')
	var line struct{ Address string }
	if err != nil || json.Unmarshal(text, &line) != nil {
		t.Fatalf("got the first line %q, %v", text, err)
	}
	res, err := http.Get(line.Address + "/_mediadesk/health")
	must(t, err)
	res.Body.Close()
	mediatest.Equal(t, res.StatusCode, http.StatusOK, "health answers %s", res.Status)
	health := run(buildah("run", container, "--", "/mediadesk", "serve", "--health", "--addr", strings.TrimPrefix(line.Address, "http://")))
	uitest.Shows(t, health, `"status":"ok"`)
}

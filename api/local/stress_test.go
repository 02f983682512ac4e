package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// stressTime returns how long the stress test lasts. MEDIADESK_LONG=1 means 10 minutes, and a
// duration such as MEDIADESK_LONG=2m is used as it is.
func stressTime() time.Duration {
	text := os.Getenv("MEDIADESK_LONG")
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d
	}
	if text != "" {
		return 10 * time.Minute
	}
	return 3 * time.Second
}

// stress is shared by the clients of the stress test.
type stress struct {
	address, hook string
	pictures      [][]byte

	mu       sync.Mutex
	files    []stressFile // most recently seen last
	statuses map[int]int
	failed   []string // answers with status 500 and above
}

type stressFile struct{ id, version, url, path string }

// TestStress runs ten clients that do everything at once with a few files, so that they interfere
// with each other. No request fails with a server error, and the library is consistent afterwards.
func TestStress(t *testing.T) {
	const clients = 10
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if rand.IntN(3) == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer hook.Close()
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	st := &stress{
		address: s.Address, hook: hook.URL, statuses: map[int]int{},
		pictures: [][]byte{apitest.PNG(16, 8), apitest.JPEG(120, 90), apitest.AlphaPNG(30, 20), apitest.Noise(64, 64), []byte("text"), make([]byte, 300_000)},
	}
	ctx, cancel := context.WithTimeout(t.Context(), stressTime())
	defer cancel()
	var wg sync.WaitGroup
	for n := range clients {
		wg.Go(func() {
			c := &stressClient{stress: st, Rand: rand.New(rand.NewPCG(uint64(n), 7)), http: &http.Client{Transport: &http.Transport{}}}
			defer c.http.CloseIdleConnections()
			for ctx.Err() == nil {
				c.step(ctx)
			}
		})
	}
	wg.Wait()
	for _, text := range st.failed {
		t.Error(text)
	}
	t.Logf("answers by status: %v", st.statuses)
	if st.statuses[http.StatusOK] < 100 {
		t.Errorf("only %d requests were answered 200", st.statuses[http.StatusOK])
	}
	closeServer(t, s)
	sum, err := local.Check(t.Context(), dir, local.CheckOptions{}, func(p local.Problem) error {
		t.Error(p)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d files, %d versions", sum.Files, sum.Versions)
}

type stressClient struct {
	*stress
	*rand.Rand
	http *http.Client
}

func (c *stressClient) choose(texts ...string) string { return texts[c.IntN(len(texts))] }

func (c *stressClient) name() string { return fmt.Sprintf("file%d.png", c.IntN(6)) }

func (c *stressClient) folder() string { return c.choose("/", "/a/", "/a/b/", "/c/") }

// file picks a file that a client has seen. It may have been deleted or replaced.
func (c *stressClient) file() stressFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) == 0 {
		return stressFile{"000000000000000000000000", "000000000000000000000000", c.address + "/a", "/a"}
	}
	return c.files[c.IntN(len(c.files))]
}

// step does one random operation.
func (c *stressClient) step(ctx context.Context) {
	f, g := c.file(), c.file()
	switch c.IntN(24) {
	case 0, 1, 2, 3, 4:
		c.upload(ctx)
	case 5:
		c.ask(ctx, "GET", "/v1/files?limit=20&skip="+fmt.Sprint(c.IntN(5)), nil)
	case 6:
		c.ask(ctx, "GET", "/v1/files?type="+c.choose("all", "folder", "file-version")+"&searchQuery="+url.QueryEscape(c.choose(`name : "file"`, `tags IN ["x","y"]`, `size > 10 AND NOT private = true`, `description HAS "a b"`)), nil)
	case 7:
		c.ask(ctx, "GET", "/v1/files/"+f.id+"/details", nil)
	case 8, 9:
		c.ask(ctx, "PATCH", "/v1/files/"+f.id+"/details", map[string]any{"tags": []string{c.choose("x", "y", "z")}, "description": c.choose("a b", ""), "customCoordinates": c.choose("0,0,4,4", "1,1,2,2")})
	case 10:
		c.ask(ctx, "PATCH", "/v1/files/"+f.id+"/details", map[string]any{"extensions": []any{map[string]string{"name": c.choose("google-auto-tagging", "remove-bg")}}, "webhookUrl": c.hook})
	case 11:
		c.ask(ctx, "POST", "/v1/files/"+c.choose("addTags", "removeTags"), map[string]any{"fileIds": []string{f.id, g.id}, "tags": []string{c.choose("x", "y", "z")}})
	case 12:
		c.ask(ctx, "DELETE", "/v1/files/"+f.id, nil)
	case 13:
		c.ask(ctx, "POST", "/v1/files/batch/deleteByFileIds", map[string]any{"fileIds": []string{f.id, g.id}})
	case 14:
		c.ask(ctx, "POST", "/v1/files/"+c.choose("copy", "move"), map[string]any{"sourceFilePath": f.path, "destinationPath": c.folder()})
	case 15:
		c.ask(ctx, "PUT", "/v1/files/rename", map[string]any{"filePath": f.path, "newFileName": c.name()})
	case 16:
		c.ask(ctx, "GET", "/v1/files/"+f.id+"/versions", nil)
	case 17:
		c.ask(ctx, c.choose("GET", "DELETE"), "/v1/files/"+f.id+"/versions/"+g.version, nil)
	case 18:
		c.ask(ctx, "PUT", "/v1/files/"+f.id+"/versions/"+f.version+"/restore", nil)
	case 19:
		c.ask(ctx, "POST", "/v1/bulkJobs/"+c.choose("copyFolder", "moveFolder"), map[string]any{"sourceFolderPath": c.choose("/a/b", "/c"), "destinationPath": c.choose("/", "/a", "/c")})
	case 20:
		c.ask(ctx, c.choose("POST", "DELETE"), "/v1/folder", map[string]any{"folderName": "b", "parentFolderPath": "/a"})
	case 21:
		c.field(ctx)
	default:
		path := f.path
		if c.IntN(2) == 0 {
			path = "/tr:" + c.choose("n-ik_ml_thumbnail", "w-20,h-10", "fo-custom:w-8") + path
		}
		c.ask(ctx, c.choose("GET", "HEAD"), path, nil)
	}
}

func (c *stressClient) upload(ctx context.Context) {
	pairs := []string{"fileName", c.name(), "folder", c.folder(), "useUniqueFileName", c.choose("false", "true"), "tags", c.choose("x,y", "z")}
	if c.IntN(3) == 0 {
		pairs = append(pairs, "extensions", c.choose(`[{"name":"google-auto-tagging"}]`, `[{"name":"remove-bg"},{"name":"aws-auto-tagging"}]`), "webhookUrl", c.hook, "responseFields", "embeddedMetadata")
	}
	contentType, body := form(c.pictures[c.IntN(len(c.pictures))], pairs...)
	if c.IntN(20) == 0 { // the body ends too early
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.IntN(3000))*time.Microsecond)
		defer cancel()
	}
	c.send(ctx, "POST", "/api/v1/files/upload", contentType, body)
}

// field creates, changes or deletes a custom metadata field.
func (c *stressClient) field(ctx context.Context) {
	var fields []struct{ ID string }
	json.Unmarshal(c.ask(ctx, "GET", "/v1/customMetadataFields", nil), &fields)
	if len(fields) == 0 || c.IntN(4) == 0 {
		c.ask(ctx, "POST", "/v1/customMetadataFields", map[string]any{"name": c.choose("p", "q"), "label": "P", "schema": map[string]any{"type": "Text", "defaultValue": "d"}})
		return
	}
	id := fields[c.IntN(len(fields))].ID
	if c.IntN(2) == 0 {
		c.ask(ctx, "PATCH", "/v1/customMetadataFields/"+id, map[string]any{"label": "Q"})
		return
	}
	c.ask(ctx, "DELETE", "/v1/customMetadataFields/"+id, nil)
}

func (c *stressClient) ask(ctx context.Context, method, path string, body any) []byte {
	if body == nil {
		return c.send(ctx, method, path, "", nil)
	}
	text, err := json.Marshal(body)
	if err != nil {
		c.fail(err.Error())
	}
	return c.send(ctx, method, path, "application/json", bytes.NewReader(text))
}

func (c *stressClient) send(ctx context.Context, method, path, contentType string, body io.Reader) []byte {
	req, err := http.NewRequestWithContext(ctx, method, c.address+path, body)
	if err != nil {
		c.fail(err.Error())
		return nil
	}
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			c.fail(fmt.Sprintf("%s %s: %v", method, path, err))
		}
		return nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		c.fail(fmt.Sprintf("%s %s: %v", method, path, err))
	}
	if res.StatusCode >= http.StatusInternalServerError && ctx.Err() == nil {
		c.fail(fmt.Sprintf("%s %s is answered %d: %s", method, path, res.StatusCode, text))
	}
	c.rememberFiles(res.StatusCode, text)
	return text
}

func (c *stressClient) fail(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.failed) < 20 {
		c.failed = append(c.failed, text)
	}
}

// rememberFiles remembers the files of an answer, which is a record or a list of records.
func (c *stressClient) rememberFiles(status int, text []byte) {
	var list []struct {
		FileID, URL, FilePath string
		VersionInfo           struct{ ID string }
	}
	if len(text) > 0 && text[0] == '{' {
		text = append(append([]byte{'['}, text...), ']')
	}
	json.Unmarshal(text, &list)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statuses[status]++
	for _, f := range list {
		if f.FileID == "" {
			continue
		}
		if c.files = append(c.files, stressFile{f.FileID, f.VersionInfo.ID, f.URL, f.FilePath}); len(c.files) > 40 {
			c.files = c.files[1:]
		}
	}
}

package session

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/config"
)

// syncTest changes a local folder and a folder of the library, and syncs them.
type syncTest struct {
	*testing.T
	s     *Session
	local string
	at    time.Time // of the last change, so that times differ
}

const syncFolder = "/pictures/"

func newSyncTest(t *testing.T) *syncTest {
	t.Helper()
	s, _ := openProfile(t, newHome(t), config.LocalProfile, false)
	y := &syncTest{
		T: t, s: s, local: filepath.Join(t.TempDir(), "local"), at: time.Now().Add(-24 * time.Hour),
	}
	must(t, os.Mkdir(y.local, 0o700))
	return y
}

// write writes a local file.
func (y *syncTest) write(name, content string) {
	y.Helper()
	path := filepath.Join(y.local, filepath.FromSlash(name))
	y.at = y.at.Add(time.Second)
	must(y, os.MkdirAll(filepath.Dir(path), 0o700))
	must(y, os.WriteFile(path, []byte(content), 0o600))
	must(y, os.Chtimes(path, y.at, y.at))
}

// store stores a file, or a new version of it, without the journal.
func (y *syncTest) store(name, content string) *api.File {
	y.Helper()
	source := y.local + ".source"
	must(y, os.WriteFile(source, []byte(content), 0o600))
	u := api.Upload{
		Source: api.Source{Path: source}, FileName: filepath.Base(name), Folder: api.Set(filepath.ToSlash(filepath.Dir(syncFolder + name))),
		UseUniqueFileName: api.Set(false), OverwriteTags: api.Set(false),
	}
	f, err := y.s.Client.Upload(y.Context(), &u, nil)
	must(y, err)
	return f
}

// files returns the contents of the local folder by path.
func (y *syncTest) files() map[string]string {
	y.Helper()
	found := map[string]string{}
	if err := filepath.WalkDir(y.local, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(y.local, path)
		found[filepath.ToSlash(rel)] = string(content)
		return err
	}); err != nil {
		y.Fatal(err)
	}
	return found
}

// stored returns the contents and ids of a folder of the library by path.
func (y *syncTest) stored(folder string) (contents, ids map[string]string) {
	y.Helper()
	tree, err := y.s.FolderTree(y.Context(), folder)
	must(y, err)
	contents, ids = map[string]string{}, map[string]string{}
	for i := range tree {
		if f := &tree[i]; !f.IsFolder() {
			rel := strings.TrimPrefix(f.FilePath, folder)
			contents[rel], ids[rel] = content(y.T, y.s.Client, f), f.FileID
		}
	}
	return contents, ids
}

// sync syncs and returns the steps by path, without those of files that are the same.
func (y *syncTest) sync(up bool, o SyncOptions) map[string]SyncAction {
	y.Helper()
	plan, err := y.s.PlanSync(y.Context(), y.local, syncFolder, up, o)
	must(y, err)
	steps := map[string]SyncAction{}
	for _, step := range plan.Steps {
		if step.Action != SyncSame {
			steps[step.Path] = step.Action
		}
	}
	if err := plan.Run(y.Context(), func(step SyncStep, err error) {
		if err != nil && step.Action != SyncConflict {
			y.Errorf("%+v: %v", step, err)
		}
	}); err != nil {
		y.Fatal(err)
	}
	return steps
}

func (y *syncTest) expect(got, want any) {
	y.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		y.Errorf("got %v\nwant %v", got, want)
	}
}

// TestSync: each kind of step in both directions.
func TestSync(t *testing.T) {
	y := newSyncTest(t)
	y.write("a.txt", "a")
	y.write("day/my b.txt", "b")
	y.write("day/c.txt", "moves")
	y.expect(y.sync(true, SyncOptions{}), map[string]SyncAction{
		"a.txt": SyncNew, "day/my_b.txt": SyncNew, "day/c.txt": SyncNew,
	})
	_, before := y.stored(syncFolder)
	y.expect(y.sync(true, SyncOptions{Checksum: true}), map[string]SyncAction{})

	// A moved file keeps its id; a file of the same size and another content has changed.
	must(t, os.Rename(filepath.Join(y.local, "day", "c.txt"), filepath.Join(y.local, "c2.txt")))
	y.write("a.txt", "A")
	y.store("extra.txt", "only there")
	y.expect(y.sync(true, SyncOptions{}), map[string]SyncAction{
		"a.txt": SyncChanged, "c2.txt": SyncMoved, "extra.txt": SyncExtra,
	})
	contents, ids := y.stored(syncFolder)
	y.expect(contents, map[string]string{"a.txt": "A", "day/my_b.txt": "b", "c2.txt": "moves", "extra.txt": "only there"})
	if ids["c2.txt"] != before["day/c.txt"] || ids["a.txt"] != before["a.txt"] {
		t.Errorf("files have other ids: %v, before %v", ids, before)
	}

	// Back: a file with a space keeps its local name, and what the library changed is fetched.
	y.store("day/my_b.txt", "b2")
	y.write(".hidden", "stays")
	y.write("local.txt", "extra here")
	y.expect(y.sync(false, SyncOptions{}), map[string]SyncAction{
		"day/my_b.txt": SyncChanged, "extra.txt": SyncNew, "local.txt": SyncExtra,
	})
	y.expect(y.files(), map[string]string{"a.txt": "A", "day/my b.txt": "b2", "c2.txt": "moves", "extra.txt": "only there", "local.txt": "extra here", ".hidden": "stays"})
	y.sync(false, SyncOptions{Delete: true})
	if _, there := y.files()["local.txt"]; there {
		t.Error("the extra file was not deleted")
	}

	// What changed on both sides is not touched.
	y.write("a.txt", "mine")
	y.store("a.txt", "theirs")
	for _, up := range []bool{true, false} {
		y.expect(y.sync(up, SyncOptions{Delete: true}), map[string]SyncAction{"a.txt": SyncConflict})
	}
	contents, _ = y.stored(syncFolder)
	y.expect([]string{y.files()["a.txt"], contents["a.txt"]}, []string{"mine", "theirs"})

	// A filter leaves other files alone, on both sides, and what the source has is never extra.
	y.write("day/new.txt", "new")
	y.expect(y.sync(true,
		SyncOptions{Delete: true, Filter: Filter{Include: []string{"*.jpg"}, MinSize: 100}}),
		map[string]SyncAction{})
	y.expect(y.sync(false, SyncOptions{Delete: true, Filter: Filter{Exclude: []string{"day", "a.txt"}}}),
		map[string]SyncAction{})
}

// TestSyncRandom: after random changes of both sides, a sync in either direction makes the target
// equal to the source, and touches nothing else.
func TestSyncRandom(t *testing.T) {
	t.Run("many rounds", func(t *testing.T) { testSyncRandom(newSyncTest(t), 40, 0, 30) })
	if mediatest.AllRounds {
		t.Run("many files", func(t *testing.T) { testSyncRandom(newSyncTest(t), 1500, 1200, 2) })
	}
}

// testSyncRandom draws from so many names. The first files are there from the beginning.
func testSyncRandom(y *syncTest, count, first, rounds int) {
	const seed = 33
	rng := rand.New(rand.NewPCG(seed, 1))
	names := make([]string, 0, count)
	for i := range count {
		names = append(names, fmt.Sprintf("%s%02d.txt", []string{"", "a/", "a/deep/", "b/"}[i%4], i))
	}
	other := y.store("../other/untouched.txt", "other")
	random := func() string { return strings.Repeat("x", rng.IntN(3)) + fmt.Sprint(rng.IntN(count+10)) }
	for _, name := range names[:first] {
		y.write(name, random())
	}
	y.sync(true, SyncOptions{})
	model := y.files()
	for round := range rounds {
		up := rng.IntN(2) == 0
		for range 1 + rng.IntN(count/5) { // of the source; both sides are equal
			name := names[rng.IntN(len(names))]
			have := slices.Sorted(maps.Keys(model))
			switch n := rng.IntN(5); {
			case n < 2 || len(have) == 0: // new or changed
				if model[name] = random(); up {
					y.write(name, model[name])
				} else {
					y.store(name, model[name])
				}
			case n < 4 && model[name] == "": // moved
				from := have[rng.IntN(len(have))]
				model[name] = model[from]
				delete(model, from)
				y.relocate(up, from, name)
			default:
				gone := have[rng.IntN(len(have))]
				delete(model, gone)
				y.relocate(up, gone, "")
			}
		}
		if up && rng.IntN(2) == 0 { // the target is changed, too
			y.store("in-the-way.txt", random())
		}
		y.sync(up, SyncOptions{Delete: true, Checksum: rng.IntN(3) == 0})
		contents, _ := y.stored(syncFolder)
		if files := y.files(); !maps.Equal(files, model) || !maps.Equal(contents, model) {
			y.Fatalf("seed %d, round %d, up %v:\nlocal   %v\nlibrary %v\nwant    %v", seed, round, up, files, contents, model)
		}
		differs := func(s SyncStep) bool { return s.Action != SyncSame }
		if plan, err := y.s.PlanSync(y.Context(), y.local, syncFolder, up, SyncOptions{}); err != nil ||
			slices.ContainsFunc(plan.Steps, differs) {
			y.Fatalf("seed %d, round %d: still different: %+v, %v", seed, round, plan.Steps, err)
		}
	}
	if contents, ids := y.stored("/other/"); contents["untouched.txt"] != "other" ||
		ids["untouched.txt"] != other.FileID {
		y.Errorf("another folder has %v", contents)
	}
}

// relocate moves a file of one side, or deletes it if to is empty.
func (y *syncTest) relocate(local bool, from, to string) {
	y.Helper()
	var err error
	switch old, name := filepath.Join(y.local, from), filepath.Join(y.local, to); {
	case local && to == "":
		err = os.Remove(old)
	case local:
		if err = os.MkdirAll(filepath.Dir(name), 0o700); err == nil {
			err = os.Rename(old, name)
		}
	default:
		var place rule.Place
		if place, err = y.s.Locate(y.Context(), syncFolder+from); err == nil && to == "" {
			err = y.s.Delete(y.Context(), *place.File)
		} else if err == nil {
			_, err = y.s.revert(y.Context(), place.File, "", syncFolder+to)
		}
	}
	must(y, err)
}

package local_test

import (
	"fmt"
	"net/http"
	"testing"

	"mediadesk/api/local"
)

// TestSameContentOnTwoInstances stores and deletes the same content on two instances in turn. A
// stored file keeps its content, however soon the other instance deletes its own.
func TestSameContentOnTwoInstances(t *testing.T) {
	t.Parallel()
	onEngines(t, recordEngines[1], contentEngines[2], sameContentOnTwoInstances)
}

func sameContentOnTwoInstances(t *testing.T, o local.Options) {
	a, b := serve(t, o), serve(t, o)
	for round := range 6 {
		text := fmt.Sprint("the same ", round%2)
		for n, pair := range [][2]string{{a.Address, b.Address}, {b.Address, a.Address}} {
			name := fmt.Sprintf("%d-%d.txt", round, n)
			record := upload(t, pair[0], []byte(text), "fileName", name, "useUniqueFileName", "false")
			if got := fetch(t, pair[1]+"/"+name); got != text {
				t.Fatalf("%s reads as %q on the other instance, want %q", name, got, text)
			}
			if status, answer, _ := callHeader(t, http.MethodDelete, fmt.Sprintf("%s/v1/files/%v", pair[1], record["fileId"]), "", nil); status != http.StatusNoContent {
				t.Fatalf("the deletion was answered %d %v, want %d", status, answer, http.StatusNoContent)
			}
			must(t, a.Library.RemoveDeleted())
		}
	}
}

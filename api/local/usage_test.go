package local_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// TestUsage counts storage, extension runs and delivered bytes.
func TestUsage(t *testing.T) {
	s := serve(t, local.Options{})
	picture := apitest.PNG(8, 8)
	record := upload(t, s.Address, picture, "fileName", "a.png", "extensions", `[{"name":"google-auto-tagging","maxTags":2,"minConfidence":0}]`)
	upload(t, s.Address, []byte("hello"), "fileName", "b.txt")
	if fetch(t, record["url"].(string)) == "" {
		t.Fatal("the file is not served")
	}
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	// The range includes tomorrow, because the day may end now.
	address := fmt.Sprintf("%s/v1/accounts/usage?startDate=%s&endDate=%s", s.Address, day(-1), day(2))
	want := fmt.Sprint(len(picture)+len("hello"), len(picture), 1)
	// Delivered bytes are counted after the answer.
	eventually(t, "usage "+want, func() bool {
		status, used := call(t, http.MethodGet, address, "", nil)
		return status == http.StatusOK && want == fmt.Sprint(used["mediaLibraryStorageBytes"], used["bandwidthBytes"], used["extensionUnitsCount"])
	})
}

package apitest

import (
	"net/http"
	"testing"
	"time"
)

// testUsage tests GET {base_url}/v1/accounts/usage.
func testUsage(t *testing.T, s *suite) {
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	ask := func(status int, start, end string) answer {
		t.Helper()
		return s.call(t, status, http.MethodGet, "/v1/accounts/usage?startDate="+start+"&endDate="+end, "")
	}
	used := ask(http.StatusOK, day(-88), day(1)).json
	for _, name := range []string{"bandwidthBytes", "mediaLibraryStorageBytes", "videoProcessingUnitsCount", "extensionUnitsCount", "originalCacheStorageBytes"} {
		if n, ok := used[name].(float64); !ok || n < 0 {
			t.Errorf("%s is %v", name, used[name])
		}
	}
	ask(http.StatusBadRequest, day(-89), day(1))
	ask(http.StatusBadRequest, day(0), day(-1))
	ask(http.StatusBadRequest, "2026-13-01", day(1))
	ask(http.StatusBadRequest, "", day(1))
}

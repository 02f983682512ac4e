package local_test

import (
	"net/http"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// TestStandby: two programs use the library of a third, which ends while a run is pending. One of
// them takes over at the same address. When that one ends too, the other takes over.
func TestStandby(t *testing.T) {
	dir := t.TempDir()
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	owner := serve(t, local.Options{Dir: dir, Fault: local.Fault{ExtensionsPending: true}})
	o := local.Options{Dir: dir, Key: key(testKey)}
	one, other := local.StandBy(owner.Address, o, func(string) {}), local.StandBy(owner.Address, o, func(string) {})
	t.Cleanup(func() { leave(t, one); leave(t, other) })
	file := upload(t, owner.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	served := func() bool {
		address, _, ok := local.Find(dir)
		return ok && address == owner.Address
	}
	closeServer(t, owner)
	if post := receive(t, posts); post["status"] != "SUCCESS" {
		t.Errorf("posted %v", post)
	}
	eventually(t, "the library at its address", served)
	for _, h := range []*local.Standby{one, other} {
		leave(t, h)
		// If this one was the owner, another program has to take over.
		if h == one {
			eventually(t, "the library at its address", served)
			if now := details(t, owner.Address, file["fileId"]); now["hasAlpha"] != true {
				t.Errorf("afterwards the record is %v", now)
			}
		}
	}
	if _, _, ok := local.Find(dir); ok {
		t.Error("the library is served although all programs ended")
	}
}

func leave(t *testing.T, h *local.Standby) {
	t.Helper()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

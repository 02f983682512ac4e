package delivery

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// FuzzParse parses random addresses. The requested sizes are limited, and an unsigned address never counts
// as signed.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"/a.jpg", "/tr:w-10,h-0.5:fo-custom/a.jpg?tr=n-ik_ml_thumbnail", "/tr:orig-true//a", "//tr:/", "/a?tr=w-1:&ik-t=1&ik-s=00", "/tr:n-card:w-9/%2e%2e/b", "/tr:w-9,ar-4-3,dpr-2,c-at_max,q-1,f-webp:rt-N90,bl-1,r-max,bg-red,e-grayscale/a"} {
		f.Add(seed)
	}
	find := texts{"card": "fo-custom:w-9"}.find
	f.Fuzz(func(t *testing.T, address string) {
		u, err := url.Parse(address)
		if err != nil {
			return
		}
		if Signed("key", u, time.Unix(1_800_000_000, 0)) {
			t.Fatalf("%q is signed", address)
		}
		a, err := Parse(u, find, false)
		if err != nil {
			return
		}
		if !strings.HasPrefix(a.Path, "/") || len(a.Steps) > maxSteps || a.Named() && !a.Changes() {
			t.Fatalf("%q asks for %+v", address, a)
		}
		for i, s := range a.Steps {
			if s.Width < 0 || s.Width > maxSide || s.Height < 0 || s.Height > maxSide || s.Custom && i > 0 {
				t.Fatalf("%q asks for %+v", address, s)
			}
		}
		a.Tag("1,2,3,4")
	})
}

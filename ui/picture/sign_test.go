package picture

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media"
)

func TestSignsAreOfOneSize(t *testing.T) {
	for k := media.Kind(-1); k <= media.KindArchive+1; k++ {
		for _, line := range Sign(k) {
			if len(Sign(k)) != 3 || ansi.StringWidth(line) != 7 {
				t.Errorf("%d: %q", k, line)
			}
		}
	}
}

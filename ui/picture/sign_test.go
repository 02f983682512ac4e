package picture

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestSignsAreOfOneSize(t *testing.T) {
	for k := Kind(-1); k <= KindArchive+1; k++ {
		for _, line := range k.Sign() {
			if len(k.Sign()) != 3 || ansi.StringWidth(line) != 7 {
				t.Errorf("%d: %q", k, line)
			}
		}
	}
}

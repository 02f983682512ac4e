package picture

import "mediadesk/api/media"

// signs are drawings of content kinds, three lines each, in common glyphs of one width.
var signs = [...][3]string{
	media.KindOther:    {"┌─────┐", "│  ?  │", "└─────┘"},
	media.KindPicture:  {"┌─────┐", "│ /\\o │", "└─────┘"},
	media.KindVideo:    {"┌┬───┬┐", "├┤ > ├┤", "└┴───┴┘"},
	media.KindAudio:    {"  ┌──┐ ", "  │  │ ", " (_)(_)"},
	media.KindText:     {"┌─────┐", "│ Abc │", "└─────┘"},
	media.KindDocument: {"┌───┐_ ", "│ ══ │ ", "└────┘ "},
	media.KindArchive:  {"┌──┬──┐", "├──┼──┤", "└──┴──┘"},
}

// Sign returns a small drawing for content without a preview: lines of equal width.
func Sign(k media.Kind) []string {
	if k < 0 || int(k) >= len(signs) {
		k = media.KindOther
	}
	return signs[k][:]
}

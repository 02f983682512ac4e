package picture

import "mediadesk/api/media"

// signs are drawings of the kinds of content, three lines each, of glyphs that
// every font has in one width.
var signs = [...][3]string{
	media.KindOther:    {"┌─────┐", "│  ?  │", "└─────┘"},
	media.KindPicture:  {"┌─────┐", "│ /\\o │", "└─────┘"},
	media.KindVideo:    {"┌┬───┬┐", "├┤ > ├┤", "└┴───┴┘"},
	media.KindAudio:    {"  ┌──┐ ", "  │  │ ", " (_)(_)"},
	media.KindText:     {"┌─────┐", "│ Abc │", "└─────┘"},
	media.KindDocument: {"┌───┐_ ", "│ ══ │ ", "└────┘ "},
	media.KindArchive:  {"┌──┬──┐", "├──┼──┤", "└──┴──┘"},
}

// Sign is a small drawing of a kind of content, for what has no preview: lines of
// equal width.
func Sign(k media.Kind) []string {
	if k < 0 || int(k) >= len(signs) {
		k = media.KindOther
	}
	return signs[k][:]
}

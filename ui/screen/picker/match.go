package picker

import "strings"

// Points of a match, as people's editors give them: letters at the beginning of
// the name or of a word count most, letters in a row more than scattered ones, and
// what is left over takes something away.
const (
	pointsFirst     = 10
	pointsWord      = 20
	pointsRow       = 5
	pointsLeading   = -5
	mostLeading     = 3
	separatorsWords = " _-./\\"
)

// plain tells whether a text is of ASCII alone.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// match tells whether the letters of a lower-case pattern stand in a name in their
// order, and how well; both must be plain.
func match(name, pattern string) (points int, ok bool) {
	at, last := 0, -2
	for i := 0; i < len(pattern); i++ {
		want, best, bestAt := pattern[i], -1, -1
		// Between this letter and the next, the best place counts.
		var next byte
		if i+1 < len(pattern) {
			next = pattern[i+1]
		}
		for j := at; j < len(name); j++ {
			c := fold(name[j])
			if bestAt >= 0 && c == next && next != want {
				break
			}
			if c != want {
				continue
			}
			p := 0
			switch {
			case j == 0:
				p = pointsFirst
			case strings.IndexByte(separatorsWords, name[j-1]) >= 0,
				name[j] >= 'A' && name[j] <= 'Z' && name[j-1] >= 'a' && name[j-1] <= 'z':
				p = pointsWord
			}
			if j == last+1 {
				p += pointsRow
			}
			if p > best {
				best, bestAt = p, j
			}
			if next == 0 && best >= pointsWord || next == want {
				break
			}
		}
		if bestAt < 0 {
			return 0, false
		}
		if i == 0 {
			best += pointsLeading * min(bestAt, mostLeading)
		}
		points += best
		at, last = bestAt+1, bestAt
	}
	return points - (len(name) - len(pattern)), true
}

func fold(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// hit is a row that was found, with its points.
type hit struct {
	row    int32
	points int32
}

// byPoints brings the hits with most points to the front; those with as many stay
// in their order. Points are few numbers, so counting them is faster than sorting.
func byPoints(hits []hit) []int32 {
	out := make([]int32, len(hits))
	if len(hits) == 0 {
		return out
	}
	low, high := hits[0].points, hits[0].points
	for _, h := range hits {
		low, high = min(low, h.points), max(high, h.points)
	}
	starts := make([]int32, int(high-low)+2)
	for _, h := range hits {
		starts[high-h.points+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	for _, h := range hits {
		at := &starts[high-h.points]
		out[*at] = h.row
		*at++
	}
	return out
}

package local

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// earthRadius is the mean radius in kilometers.
const earthRadius = 6371.0

var errLocation = errors.New(`a location is a point with a distance such as "40,100 5km", two corners such as "40,100|50,105", or four corners`)

// setLocation compares where a photograph was taken. An area that is not a box matches as the
// smallest box around it.
func setLocation(m *store.Match, values []rule.SearchWord, _ time.Time) error {
	var corners [][2]float64
	if place, distance, found := strings.Cut(values[0].Text, " "); found {
		at, err := readPoint(place)
		km, failed := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(distance), "km"), 64)
		if err != nil || failed != nil || !(km > 0 && km <= 20_000) || !strings.HasSuffix(distance, "km") {
			return errLocation
		}
		high := km / earthRadius * 180 / math.Pi
		wide := min(180, high/math.Cos(min(math.Abs(at[0])+high, 89.9)*math.Pi/180))
		corners = [][2]float64{{at[0] - high, at[1] - wide}, {at[0] + high, at[1] + wide}}
	} else {
		for corner := range strings.SplitSeq(values[0].Text, "|") {
			at, err := readPoint(corner)
			if err != nil {
				return err
			}
			corners = append(corners, at)
		}
	}
	if len(corners) != 2 && len(corners) != 4 {
		return errLocation
	}
	low, high := corners[0], corners[0]
	for _, c := range corners {
		for i := range c {
			low[i], high[i] = min(low[i], c[i]), max(high[i], c[i])
		}
	}
	*m = store.Match{Not: m.Not, All: []store.Match{
		between("GPSLatitude", "S", low[0], high[0]), between("GPSLongitude", "W", low[1], high[1]),
	}}
	return nil
}

// between returns the condition that a coordinate is from low to high degrees. Coordinates are
// stored without a sign, next to the letter of their hemisphere.
func between(key, negative string, low, high float64) store.Match {
	within := func(not bool, low, high float64) store.Match {
		return store.Match{All: []store.Match{
			{Subject: store.MatchCamera, Key: key, Op: ">=", Values: []any{low}},
			{Subject: store.MatchCamera, Key: key, Op: "<=", Values: []any{high}},
			{Subject: store.MatchCamera, Key: key + "Ref", Op: "=", Values: []any{negative}, Not: not},
		}}
	}
	var halves []store.Match
	if high >= 0 {
		halves = append(halves, within(true, max(low, 0), high))
	}
	if low < 0 {
		halves = append(halves, within(false, max(-high, 0), -low))
	}
	return store.Match{Any: halves}
}

// readPoint reads a latitude and a longitude in degrees.
func readPoint(text string) (at [2]float64, err error) {
	latitude, longitude, _ := strings.Cut(text, ",")
	for i, part := range []string{latitude, longitude} {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(math.Abs(n) <= float64(90*(i+1))) {
			return at, errLocation
		}
		at[i] = n
	}
	return at, nil
}

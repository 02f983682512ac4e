package local

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// earthRadius is the mean radius in kilometers.
const earthRadius = 6371.0

// bands is the number of boxes that approximate an area of another shape.
const bands = 24

var errLocation = errors.New(`a location is a point with a distance such as "40,100 5km", two corners such as "40,100|50,105", or four corners`)

// setLocation compares where a photograph was taken: within a distance of a point, in a box given
// by two corners, or in an area given by four, which is approximated by narrow boxes.
func setLocation(m *store.Match, values []api.SearchWord, _ time.Time) error {
	text := values[0].Text
	var low, high float64 // degrees of latitude
	var span func(latitude float64) (west, east float64, ok bool)
	parts := bands
	if place, distance, found := strings.Cut(text, " "); found {
		at, err := readPoint(place)
		km, failed := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(distance), "km"), 64)
		if err != nil || failed != nil || !(km > 0 && km <= 20_000) || !strings.HasSuffix(distance, "km") {
			return errLocation
		}
		angle := km / earthRadius
		low, high = at[0]-degrees(angle), at[0]+degrees(angle)
		span = func(latitude float64) (west, east float64, ok bool) {
			here, center := radians(latitude), radians(at[0])
			half := (math.Cos(angle) - math.Sin(center)*math.Sin(here)) / (math.Cos(center) * math.Cos(here))
			if half > 1 {
				return 0, 0, false
			}
			wide := degrees(math.Acos(max(half, -1)))
			return at[1] - wide, at[1] + wide, true
		}
	} else {
		var corners [][2]float64
		for corner := range strings.SplitSeq(text, "|") {
			at, err := readPoint(corner)
			if err != nil {
				return err
			}
			corners = append(corners, at)
		}
		if len(corners) == 2 {
			parts = 1
			a, b := corners[0], corners[1]
			corners = [][2]float64{a, {a[0], b[1]}, b, {b[0], a[1]}}
		}
		if len(corners) != 4 {
			return errLocation
		}
		low, high = corners[0][0], corners[0][0]
		for _, c := range corners {
			low, high = min(low, c[0]), max(high, c[0])
		}
		span = func(latitude float64) (west, east float64, ok bool) { return spanOf(corners, latitude) }
	}
	low, high = max(low, -90), min(high, 90)
	var boxes []store.Match
	for i := range parts {
		from := low + (high-low)*float64(i)/float64(parts)
		to := low + (high-low)*float64(i+1)/float64(parts)
		if west, east, ok := span((from + to) / 2); ok {
			boxes = append(boxes, store.Match{All: []store.Match{between("GPSLatitude", "S", from, to), between("GPSLongitude", "W", west, east)}})
		}
	}
	*m = store.Match{Any: boxes, Not: m.Not}
	return nil
}

// spanOf returns the range of longitudes that an area covers at a latitude.
func spanOf(corners [][2]float64, latitude float64) (west, east float64, ok bool) {
	west, east = math.Inf(1), math.Inf(-1)
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		if a[0] == b[0] || (a[0] < latitude) == (b[0] < latitude) {
			continue
		}
		at := a[1] + (b[1]-a[1])*(latitude-a[0])/(b[0]-a[0])
		west, east = min(west, at), max(east, at)
	}
	return west, east, west <= east
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

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

func degrees(radians float64) float64 { return radians * 180 / math.Pi }

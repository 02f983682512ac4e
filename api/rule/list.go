package rule

import (
	"regexp"

	"mediadesk/api"
)

// Sorts are the sort keys of a listing (hosted-service.md §8). SortRelevance needs a search with
// HAS; DESC_ puts the best matches first.
var Sorts = []string{"NAME", "CREATED", "UPDATED", "SIZE", "HEIGHT", "WIDTH", SortRelevance}

// SortRelevance sorts by how well a file matches the texts of HAS.
const SortRelevance = "RELEVANCE"

var (
	searchText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	searchHas  = regexp.MustCompile(`(?i)\bHAS\b`)
)

// Ranks reports whether a search query has the operator HAS, so that its matches can be sorted by
// relevance.
func Ranks(search string) bool { return searchHas.MatchString(searchText.ReplaceAllString(search, "")) }

// SearchBelow returns the search condition for files and folders in or below a folder.
func SearchBelow(folder string) string { return "path : " + api.SearchValue(folder) }

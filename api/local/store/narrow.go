package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
)

// fewFiles is the number of index matches up to which using the index beats reading files in
// listing order, which can stop early.
const fewFiles = 20_000

// narrow returns conditions that an index answers and few files meet, so that a listing need not
// read every file. They follow from the query, so the result is the same.
func (t Files) narrow(q *Query) ([]condition, error) {
	var list []condition
	add := func(c condition, count string, args ...any) error {
		n, err := value[int](t.session, "SELECT count(*) FROM ("+count+" LIMIT "+strconv.Itoa(fewFiles+1)+") AS found", args...)
		if err == nil && n <= fewFiles {
			list = append(list, c)
		}
		return err
	}
	tagged := func(tags []string) error {
		c := in("tag", tags)
		return add(condition{"id IN (SELECT file FROM file_tags WHERE " + c.sql + ")", c.args}, "SELECT 1 FROM file_tags WHERE "+c.sql, c.args...)
	}
	if len(q.Tags) > 0 {
		if err := tagged(q.Tags); err != nil {
			return nil, err
		}
	}
	for _, m := range q.required() {
		var err error
		switch {
		case m.Not || len(m.All)+len(m.Any) > 0 || len(m.Text) == 0:
		case m.Subject == MatchTags && (m.Op == "in" || m.Op == "="):
			err = tagged(m.Text)
		case m.Subject == MatchName && m.Op == ":" && m.first() != "":
			// The last character sorts after every continuation of the name.
			first := norm.NFC.String(m.first())
			c := condition{"name_key >= ? AND name_key < ?", []any{first, first + "\U0010ffff"}}
			err = add(c, "SELECT 1 FROM files INDEXED BY files_name WHERE "+c.sql, c.args...)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// required returns the conditions that must all hold.
func (q *Query) required() []Match {
	switch {
	case q.Match == nil || q.Match.Not || len(q.Match.Any) > 0:
		return nil
	case len(q.Match.All) > 0:
		return q.Match.All
	}
	return []Match{*q.Match}
}

// inOrder reports whether an index yields the rows in order, so that the listing is fast. It then
// runs without watching the caller's context, which would cost two goroutines.
func (q *Query) inOrder() bool {
	order, _ := q.order()
	return q.Match == nil && q.Kind == "" && len(q.Tags) == 0 && (order == ByName || order == ByCreated)
}

// fewSkipped is the number of skipped rows that are cheap to read.
const fewSkipped = 1000

// listFiles lists only files, in one query.
func (t Files) listFiles(q *Query) ([]Entry, error) {
	c := q.conditions(api.TypeFile)
	order, direction := q.order()
	terms := []string{string(order), "folder", "name_key"}
	switch order {
	case ByName:
		terms = []string{"name_key", "folder"}
	case ByRelevance:
		terms[0] = "-length(name_key)"
	}
	query := fmt.Sprintf("SELECT %s FROM files WHERE %s ORDER BY %s %s %s", files.read, c.sql, strings.Join(terms, " "+direction+", "), direction, limits)
	if q.inOrder() {
		t.ctx = context.WithoutCancel(t.ctx)
	}
	list, err := records[File](t.session, query, append(c.args, q.Limit, q.Skip)...)
	entries := make([]Entry, len(list))
	for i := range list {
		entries[i].File = &list[i]
	}
	return entries, err
}

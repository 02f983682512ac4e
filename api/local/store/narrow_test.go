package store

import (
	"fmt"
	"testing"
	"time"
)

// TestListsAgree: a listing from an index equals a full scan.
func TestListsAgree(t *testing.T) { onEachEngine(t, testListsAgree) }

func testListsAgree(t *testing.T, r Records) {
	err := r.Update(t.Context(), func(tx Tx) error {
		for n := range 60 {
			f := sample(fmt.Sprintf("/%d/", n%3), fmt.Sprintf("%s-%02d", []string{"été", "Ete", "z_%", "zz"}[n%4], n))
			f.Tags = [][]string{nil, {"a"}, {"a", "b"}, {"c"}, {"A"}}[n%5]
			f.Created = f.Created.Add(time.Duration(n%7) * time.Second)
			if err := tx.Files.Insert(f); err != nil {
				return err
			}
			switch n {
			case 11:
				f.Tags = []string{"b"}
				if err := tx.Files.Update(f); err != nil {
					return err
				}
			case 12, 22:
				if err := tx.Files.Delete(f.ID); err != nil {
					return err
				}
			case 17:
				if err := tx.Files.Move(f.ID, "/moved/", "moved"); err != nil {
					return err
				}
			}
		}
		return nil
	})
	must(t, err)
	err = r.View(t.Context(), func(tx Tx) error {
		for name, q := range map[string]Query{
			"a tag":            {Tags: []string{"b"}},
			"one of two tags":  {Tags: []string{"a", "c"}},
			"a tag of nobody":  {Tags: []string{"nobody"}},
			"a tag asked for":  {Match: &Match{Subject: MatchTags, Op: "in", Text: []string{"a"}}},
			"a prefix":         {Match: &Match{Subject: MatchName, Op: ":", Text: []string{"z_"}}},
			"an accent":        {Match: &Match{Subject: MatchName, Op: ":", Text: []string{"e\u0301t"}}},
			"the whole name":   {Match: &Match{Subject: MatchName, Op: ":", Text: []string{"moved"}}},
			"both":             {Match: &Match{All: []Match{{Subject: MatchName, Op: ":", Text: []string{"z"}}, {Subject: MatchTags, Op: "in", Text: []string{"a", "b"}}}}},
			"not a prefix":     {Match: &Match{Subject: MatchName, Op: ":", Text: []string{"z"}, Not: true}},
			"one or the other": {Match: &Match{Any: []Match{{Subject: MatchName, Op: ":", Text: []string{"z"}}, {Subject: MatchTags, Op: "in", Text: []string{"c"}}}}},
		} {
			q.Files, q.Limit, q.Order = true, 1000, ByName
			plain, args := q.sql()
			want, err := firstColumn[string](tx.session, "SELECT id FROM files WHERE '0' || id IN (SELECT key FROM ("+plain+") AS found) ORDER BY name_key, folder", args...)
			if err != nil {
				return err
			}
			for _, skip := range []int{0, 2} {
				q.Skip = skip
				list, err := tx.Files.List(q)
				if err != nil {
					return err
				}
				var got []string
				for _, e := range list {
					got = append(got, e.File.ID)
				}
				if fmt.Sprint(got) != fmt.Sprint(want[min(skip, len(want)):]) {
					t.Errorf("%s: found %d, want %d", name, len(got), len(want)-skip)
				}
			}
		}
		return nil
	})
	must(t, err)
}

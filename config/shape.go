package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// checkShape reports the unknown keys and wrong types in a document, in the order of its lines. The TOML library
// would stop at the first problem, and ignores the case of keys, as in "Theme".
func checkShape(d document, want reflect.Type) error {
	var found []*FileError
	walkShape(d.values, want, nil, func(key []string, text string) {
		found = append(found, &FileError{Path: d.path, Line: lineOf(d.places, key), Key: joinKey(key), Text: text})
	})
	slices.SortStableFunc(found, func(a, b *FileError) int { return a.Line - b.Line })
	problems := make([]error, len(found))
	for i, p := range found {
		problems[i] = p
	}
	return errors.Join(problems...)
}

func walkShape(value any, want reflect.Type, key []string, report func(key []string, text string)) {
	wrong := func(text string) { report(key, joinKey(key)+" must be "+text) }
	switch want.Kind() {
	case reflect.String:
		if _, ok := value.(string); !ok {
			wrong("text in quotes")
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			wrong("true or false")
		}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		if _, ok := value.(int64); !ok {
			wrong("a whole number without quotes")
		}
	case reflect.Slice:
		if parts, ok := value.(map[string]any); ok && len(key) == 2 && key[0] == "keys" {
			for part := range parts { // library.delete = ["x"]
				report(key, fmt.Sprintf("write %q in quotes", key[1]+"."+part))
			}
			return
		}
		list, ok := value.([]any)
		if !ok {
			wrong(`a list of texts, such as ["one", "two"]`)
			return
		}
		for _, item := range list {
			if _, ok := item.(string); !ok {
				wrong(`a list of texts, such as ["one", "two"]`)
				return
			}
		}
	case reflect.Map, reflect.Struct:
		table, ok := value.(map[string]any)
		if !ok {
			wrong("a table, written [" + joinKey(key) + "]")
			return
		}
		walkTable(table, want, key, report)
	}
}

func walkTable(table map[string]any, want reflect.Type, key []string, report func(key []string, text string)) {
	var fields map[string]reflect.Type
	if want.Kind() == reflect.Struct {
		fields = fieldsOf(want)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		sub := append(slices.Clone(key), name)
		if fields == nil { // a map: any name, and one type of value
			walkShape(table[name], want.Elem(), sub, report)
		} else if field, ok := fields[name]; ok {
			walkShape(table[name], field, sub, report)
		} else {
			report(sub, unknownKey(key, name, fields))
		}
	}
}

// unknownKey describes a key that does not exist and suggests another.
func unknownKey(table []string, name string, fields map[string]reflect.Type) string {
	where := "at the top"
	if len(table) > 0 {
		where = "in [" + joinKey(table) + "]"
	}
	text := fmt.Sprintf("there is no setting %q %s", name, where)
	if guess := didYouMean(name, slices.Sorted(maps.Keys(fields))); guess != "" {
		return text + guess
	}
	var homes []string
	findHomes(reflect.TypeFor[Config](), nil, name, &homes)
	if len(homes) > 0 {
		return text + ": it belongs " + strings.Join(homes, " or ")
	}
	return text + ": take the line out"
}

// findHomes lists the tables that may contain a key of this name.
func findHomes(t reflect.Type, table []string, name string, homes *[]string) {
	for _, key := range slices.Sorted(maps.Keys(fieldsOf(t))) {
		inner := fieldsOf(t)[key]
		sub := append(slices.Clone(table), key)
		if inner.Kind() == reflect.Map {
			inner = inner.Elem()
			sub = append(sub, "NAME")
		}
		if key == name {
			place := "in [" + strings.Join(table, ".") + "]"
			if len(table) == 0 {
				place = "at the top, before the first [table]"
			}
			*homes = append(*homes, place)
		}
		if inner.Kind() == reflect.Struct {
			findHomes(inner, sub, name, homes)
		}
	}
}

// fieldsOf returns the keys of a table, from the toml tags, and their types.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		if key, _, _ := strings.Cut(field.Tag.Get("toml"), ","); key != "" && key != "-" {
			fields[key] = field.Type
		}
	}
	return fields
}

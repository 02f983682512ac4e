package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Tx reads and writes within one Update or View, and must not be used after its function has
// returned. Writing in a View is an error. Reading a missing record gives ErrNotFound.
//
// Get, All, Add, Save and Remove work on records of every kind. The members have what is special
// about one subject.
type Tx struct {
	session
	Files     Files
	Folders   Folders
	Versions  Versions
	Instances Instances
	Library   Library
}

// session runs the queries of a transaction, which are written for SQLite.
type session struct {
	ctx     context.Context // of the caller; it can end long listings
	db      database
	dialect *strings.Replacer // for PostgreSQL; nil for SQLite
	changes *[]Change         // nil unless watched
}

// Change is a change of a file, or of one of its versions.
type Change struct{ Kind, FileID, VersionID string }

// Kinds of Change.
const (
	FileCreated    = "file.created"
	FileUpdated    = "file.updated"
	FileDeleted    = "file.deleted"
	VersionCreated = "file-version.created"
	VersionDeleted = "file-version.deleted"
)

func (s session) changed(kind, fileID, versionID string) {
	if s.changes != nil {
		*s.changes = append(*s.changes, Change{kind, fileID, versionID})
	}
}

// Watch returns the transaction, and where it lists its changes from now on.
func (t Tx) Watch() (Tx, *[]Change) {
	s := t.session
	s.changes = new([]Change)
	return s.tx(), s.changes
}

type database interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func newTx(ctx context.Context, db database, dialect *strings.Replacer) Tx {
	return session{ctx: ctx, db: db, dialect: dialect}.tx()
}

func (s session) tx() Tx { return Tx{s, Files{s}, Folders{s}, Versions{s}, Instances{s}, Library{s}} }

// guarded converts a panic of a transaction into its error, to protect others that share it.
func guarded(fn func(Tx) error, tx Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a transaction crashed: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// translate returns a query and its arguments in the dialect. PostgreSQL numbers parameters, stores
// bools as integers, and no text with NUL or invalid UTF-8. postgres.sql defines SQLite's functions.
func (s session) translate(query string, args []any) (string, []any) {
	if s.dialect == nil {
		return query, args
	}
	var b strings.Builder
	for n, part := range strings.Split(s.dialect.Replace(query), "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case bool:
			args[i] = 0
			if v {
				args[i] = 1
			}
		case string:
			args[i] = strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return b.String(), args
}

func (s session) exec(query string, args ...any) (int64, error) {
	query, args = s.translate(query, args)
	res, err := s.db.ExecContext(s.ctx, query, args...)
	if err != nil {
		return 0, diskFull(err)
	}
	return res.RowsAffected()
}

// change runs a statement and returns the error none if it changed no row.
func (s session) change(none error, query string, args ...any) error {
	n, err := s.exec(query, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

func (s session) each(scan func(*sql.Rows) error, query string, args ...any) error {
	query, args = s.translate(query, args)
	rows, err := s.db.QueryContext(s.ctx, query, args...)
	if err != nil {
		return diskFull(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s session) scan(into []any, query string, args ...any) error {
	if s.dialect == nil {
		s.ctx = context.WithoutCancel(s.ctx) // one row comes at once
	}
	found := false
	err := s.each(func(rows *sql.Rows) error {
		if found {
			return nil
		}
		found = true
		return rows.Scan(into...)
	}, query, args...)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// value returns the only column of the first row of a query; ErrNotFound if there is none.
func value[T any](s session, query string, args ...any) (v T, err error) {
	return v, s.scan([]any{&v}, query, args...)
}

// firstColumn returns the first column of all rows of a query. Others are for its order.
func firstColumn[T any](s session, query string, args ...any) (all []T, err error) {
	err = s.each(func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		into := make([]any, len(columns))
		for i := range into {
			into[i] = new(any)
		}
		var v T
		into[0] = &v
		err = errors.Join(err, rows.Scan(into...))
		all = append(all, v)
		return err
	}, query, args...)
	return all, err
}

// diskFull converts the database's error for a full disk to that of the system.
func diskFull(err error) error {
	failure, ok := errors.AsType[*sqlite.Error](err)
	if ok && failure.Code()&0xff == sqlite3.SQLITE_FULL && !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	}
	return err
}

// A table stores the structs of a type. The tag db of a field has the name of its column and then
// what is special about it:
//
//	key      it identifies the row
//	once     only Add writes it
//	separate it is written with a new row and never read; see Versions.Embedded
//
// Times are milliseconds since 1970, and 0 for the zero time. Lists, maps and structs are JSON, and
// empty ones are NULL.
type table struct {
	name, order string
	columns     []column
	read        string // the names of the columns that are read
}

type column struct {
	name                string
	index               []int // of the field
	key, once, separate bool
}

var (
	files    = newTable[File]("files", "folder, name")
	versions = newTable[Version]("versions", "number DESC")
	byType   = map[reflect.Type]*table{
		reflect.TypeFor[File]():     files,
		reflect.TypeFor[Version]():  versions,
		reflect.TypeFor[Folder]():   newTable[Folder]("folders", "path"),
		reflect.TypeFor[Field]():    newTable[Field]("fields", "name"),
		reflect.TypeFor[Preset]():   newTable[Preset]("presets", "created, id"),
		reflect.TypeFor[Run]():      newTable[Run]("runs", "id"),
		reflect.TypeFor[Post]():     newTable[Post]("outbox", "id"),
		reflect.TypeFor[Job]():      newTable[Job]("jobs", "id"),
		reflect.TypeFor[Deletion](): newTable[Deletion]("deletions", "at"),
		reflect.TypeFor[Removal]():  newTable[Removal]("removals", "at"),
	}
)

func newTable[T any](name, order string) *table {
	tb := &table{name: name, order: order, columns: columnsOf(reflect.TypeFor[T](), nil)}
	var read []string
	for _, c := range tb.columns {
		if !c.separate {
			read = append(read, c.name)
		}
	}
	tb.read = strings.Join(read, ", ")
	return tb
}

// columnsOf returns the columns of a struct. A file has those of its version, as the tag file says.
func columnsOf(t reflect.Type, within []int) (list []column) {
	for i := range t.NumField() {
		f, index := t.Field(i), append(slices.Clone(within), i)
		name, options, _ := strings.Cut(f.Tag.Get("db"), ",")
		if as := f.Tag.Get("file"); as != "" && t == reflect.TypeFor[Version]() && within != nil {
			name, options = as, ""
		}
		switch name {
		case "-":
		case "":
			list = append(list, columnsOf(f.Type, index)...)
		default:
			c := column{name, index, options == "key", options == "once", options == "separate"}
			list = append(list, c)
		}
	}
	return list
}

func tableOf(record any) (*table, reflect.Value) {
	v := reflect.ValueOf(record).Elem()
	return byType[v.Type()], v
}

func (tb *table) values(v reflect.Value, which func(column) bool) (names []string, args []any, err error) {
	for _, c := range tb.columns {
		if !which(c) {
			continue
		}
		arg, err := storedValue(v.FieldByIndex(c.index))
		if err != nil {
			return nil, nil, err
		}
		names, args = append(names, c.name), append(args, arg)
	}
	return names, args, nil
}

func storedValue(f reflect.Value) (any, error) {
	switch v := f.Interface().(type) {
	case time.Time:
		if v.IsZero() {
			return int64(0), nil
		}
		return v.UnixMilli(), nil
	case json.RawMessage:
		return string(v), nil
	case []byte:
		return v, nil
	}
	switch f.Kind() {
	case reflect.Slice, reflect.Map:
		if f.Len() == 0 {
			return nil, nil
		}
	case reflect.Struct:
	default:
		return f.Interface(), nil
	}
	text, err := json.Marshal(f.Interface())
	return string(text), err
}

func scanned(f reflect.Value) any {
	into := f.Addr().Interface()
	switch into := into.(type) {
	case *time.Time:
		return milliseconds{into}
	case *[]byte:
		return into
	}
	switch f.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct:
		return jsonText{into}
	}
	return into
}

type milliseconds struct{ *time.Time }

func (m milliseconds) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v is not a time", value)
	}
	*m.Time = time.Time{}
	if n != 0 {
		*m.Time = time.UnixMilli(n)
	}
	return nil
}

type jsonText struct{ into any }

func (j jsonText) Scan(value any) error {
	var text sql.NullString
	if err := text.Scan(value); err != nil || !text.Valid {
		return err
	}
	return json.Unmarshal([]byte(text.String), j.into)
}

// get returns the first record that meets a condition; ErrNotFound if there is none.
func get[T any](s session, where string, args ...any) (*T, error) {
	if s.dialect == nil {
		s.ctx = context.WithoutCancel(s.ctx) // one row comes at once
	}
	tb := tableFor[T]()
	list, err := records[T](s, "SELECT "+tb.read+" FROM "+tb.name+" WHERE "+where, args...)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

func records[T any](s session, query string, args ...any) (all []T, err error) {
	tb := tableFor[T]()
	err = s.each(func(rows *sql.Rows) error {
		all = append(all, *new(T))
		v, into := reflect.ValueOf(&all[len(all)-1]).Elem(), make([]any, 0, len(tb.columns))
		for _, c := range tb.columns {
			if !c.separate {
				into = append(into, scanned(v.FieldByIndex(c.index)))
			}
		}
		return rows.Scan(into...)
	}, query, args...)
	return all, err
}

func tableFor[T any]() *table { return byType[reflect.TypeFor[T]()] }

// Get returns the record with a key.
func Get[T any](t Tx, key any) (*T, error) { return get[T](t.session, "id = ?", key) }

// Filter selects records whose columns have these values.
type Filter map[string]any

// All returns the selected records in the order of their table.
func All[T any](t Tx, filter Filter) ([]T, error) {
	tb := tableFor[T]()
	query, args := "SELECT "+tb.read+" FROM "+tb.name+" WHERE TRUE", []any(nil)
	for _, c := range tb.columns {
		if value, ok := filter[c.name]; ok {
			query, args = query+" AND "+c.name+" = ?", append(args, value)
		}
	}
	return records[T](t.session, query+" ORDER BY "+tb.order, args...)
}

// Add adds a record, a pointer to a Field, Preset, Run, Post or Job. It sets the ID of a Run and of
// a Post. The error is ErrExists if the key is taken, or the name, even by a deleted field.
func (t Tx) Add(record any) error {
	tb, v := tableOf(record)
	id := v.FieldByName("ID")
	numbered := id.Kind() == reflect.Int64
	names, args, err := tb.values(v, func(c column) bool { return !c.key || !numbered })
	if err != nil {
		return err
	}
	query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)",
		tb.name, strings.Join(names, ", "), places(len(names)))
	if !numbered {
		return t.change(ErrExists, query+" ON CONFLICT DO NOTHING", args...)
	}
	return t.scan([]any{id.Addr().Interface()}, query+" RETURNING id", args...)
}

// Save changes a record that was read; ErrNotFound if it is gone.
func (t Tx) Save(record any) error {
	tb, v := tableOf(record)
	return t.save(tb, v, func(c column) bool { return !c.once })
}

func (s session) save(tb *table, v reflect.Value, which func(column) bool) error {
	names, args, err := tb.values(v, func(c column) bool { return !c.key && which(c) })
	if err != nil {
		return err
	}
	keys, values, err := tb.values(v, func(c column) bool { return c.key })
	if err != nil {
		return err
	}
	return s.change(ErrNotFound, "UPDATE "+tb.name+" SET "+strings.Join(names, " = ?, ")+" = ? WHERE "+strings.Join(keys, " = ? AND ")+" = ?",
		append(args, values...)...)
}

// Remove removes a record. It is no error if it is gone.
func (t Tx) Remove(record any) error {
	tb, v := tableOf(record)
	keys, values, err := tb.values(v, func(c column) bool { return c.key })
	if err == nil {
		_, err = t.exec("DELETE FROM "+tb.name+" WHERE "+strings.Join(keys, " = ? AND ")+" = ?", values...)
	}
	return err
}

func places(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

package local

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
)

// openAPI describes the operations of the running library.
func (l *Library) openAPI(r *http.Request) (any, error) {
	document := l.describe()
	document["info"] = object{"title": "mediadesk serve", "version": l.o.Version, "description": "All other paths are stored files."}
	document["servers"] = []object{{"url": l.base(r)}}
	return document, nil
}

// object is a JSON object.
type object = map[string]any

// describeAPI returns an OpenAPI 3.1 document of the routes.
func describeAPI() map[string]any {
	s := schemas{}
	failure := object{"description": "The request failed", "content": jsonContent(s.of(reflect.ValueOf(problem{})))}
	paths := map[string]object{}
	for _, route := range routes {
		operation := object{"summary": route.summary, "parameters": route.parameters()}
		if body := route.requestBody(); body != nil {
			operation["requestBody"] = body
		}
		answers := object{"default": failure}
		if route.answer == nil {
			answers["204"] = object{"description": "Done"}
			// Some clients cannot read an empty answer.
			answers["200"] = object{"description": "Done", "content": jsonContent(object{"type": "object", "maxProperties": 0})}
		} else {
			answers[strconv.Itoa(route.status)] = object{"description": "Done", "content": jsonContent(s.of(reflect.ValueOf(route.answer)))}
		}
		if isUpload(route.pattern) {
			answers[strconv.Itoa(http.StatusAccepted)] = object{"description": "Goes on later", "content": jsonContent(s.of(reflect.ValueOf(accepted{})))}
		}
		operation["responses"] = answers
		switch {
		case keyless[route.pattern]:
			operation["security"] = []object{}
		case isUpload(route.pattern): // or with a signature
			operation["security"] = []object{{"key": []string{}}, {}}
		}
		if paths[route.pattern] == nil {
			paths[route.pattern] = object{}
		}
		paths[route.pattern][strings.ToLower(route.method)] = operation
	}
	return object{
		"openapi": "3.1.0", "paths": paths,
		"security":   []object{{"key": []string{}}},
		"components": object{"schemas": s, "securitySchemes": object{"key": object{"type": "http", "scheme": "basic", "description": "The private key is the user name; the password is ignored."}}},
	}
}

func jsonContent(schema object) object { return object{"application/json": object{"schema": schema}} }

// taken is a parameter or member of an operation.
type taken struct {
	name     string
	schema   object
	required bool
}

// takenTypes maps the type names of route.takes to schemas.
var takenTypes = map[string]object{
	"": {"type": "string"}, "text": {"type": "string"}, "int": {"type": "integer"}, "bool": {"type": "boolean"},
	"list": {"type": "array", "items": object{"type": "string"}}, "object": {"type": "object"}, "any": {},
}

// parseTakes parses the notation of route.takes: NAME[:TYPE] separated by spaces, ! for required, ?
// for nullable.
func parseTakes(text string) []taken {
	var list []taken
	for word := range strings.FieldsSeq(text) {
		name, kind, _ := strings.Cut(strings.TrimRight(word, "!?"), ":")
		t := taken{name, takenTypes[kind], strings.HasSuffix(word, "!")}
		if strings.HasSuffix(word, "?") {
			t.schema = orNullSchema(t.schema)
		}
		list = append(list, t)
	}
	return list
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

func (r *route) parameters() []object {
	list := []object{}
	for _, name := range pathParameter.FindAllStringSubmatch(r.pattern, -1) {
		list = append(list, object{"name": name[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	if r.method == http.MethodGet {
		for _, t := range parseTakes(r.takes) {
			list = append(list, object{"name": t.name, "in": "query", "required": t.required, "schema": t.schema})
		}
	}
	return list
}

// requestBody describes the body of a request. It returns nil if there is no body.
func (r *route) requestBody() object {
	if isUpload(r.pattern) {
		return object{"required": true, "content": object{"multipart/form-data": object{"schema": uploadSchema()}}}
	}
	if r.takes == "" || r.method == http.MethodGet {
		return nil
	}
	properties, required := object{}, []string{}
	for _, t := range parseTakes(r.takes) {
		properties[t.name] = t.schema
		if t.required {
			required = append(required, t.name)
		}
	}
	return object{"required": len(required) > 0, "content": jsonContent(closed(properties, required))}
}

// uploadSchema describes the parts of an upload.
func uploadSchema() object {
	properties := object{"file": object{"type": "string", "description": "The bytes, their base64 text, or an http or https address"}}
	for _, name := range append([]string{isPublished}, signedParts...) {
		properties[name] = takenTypes["text"]
	}
	for _, field := range api.UploadFields {
		properties[field.Name] = takenTypes["text"]
		if field.Kind == api.KindSwitch || field.Name == "useUniqueFileName" {
			properties[field.Name] = takenTypes["bool"]
		}
	}
	return closed(properties, []string{"file", "fileName"})
}

// closed returns the schema of an object with these members and no others.
func closed(properties object, required []string) object {
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func orNullSchema(schema object) object {
	return object{"anyOf": []object{schema, {"type": "null"}}}
}

// schemas are the schemas of structs, by name.
type schemas map[string]object

// of returns the schema of a value's JSON. The keys of a non-empty map are its members.
func (s schemas) of(v reflect.Value) object {
	if v.Kind() == reflect.Map && v.Len() > 0 {
		properties := object{}
		for _, key := range v.MapKeys() {
			properties[key.String()] = s.ofType(v.Type().Elem())
		}
		return closed(properties, slices.Sorted(maps.Keys(properties)))
	}
	return s.ofType(v.Type())
}

func (s schemas) ofType(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Pointer:
		return s.ofType(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": s.ofType(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.ofType(t.Elem())}
	case reflect.Struct:
		if get, ok := t.MethodByName("Get"); ok { // an api.Field
			return orNullSchema(s.ofType(get.Type.Out(0)))
		}
		return s.ofStruct(t)
	case reflect.String:
		return object{"type": "string"}
	}
	return object{}
}

// ofStruct adds the schema of a struct and returns a reference to it.
func (s schemas) ofStruct(t reflect.Type) object {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	reference := object{"$ref": "#/components/schemas/" + name}
	if s[name] != nil {
		return reference
	}
	properties, required := object{}, []string{}
	s[name] = closed(properties, nil)
	for i := range t.NumField() {
		member, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if member == "-" || member == "" {
			continue
		}
		properties[member] = s.ofType(t.Field(i).Type)
		if options == "" {
			required = append(required, member)
		}
	}
	s[name]["required"] = required
	if t == reflect.TypeFor[api.File]() {
		for _, name := range storedTexts() {
			properties[name] = takenTypes["text"]
		}
		s[name]["required"] = []string{"type", "name", "createdAt", "updatedAt"}
		s[name]["if"] = object{"properties": object{"type": object{"const": api.TypeFolder}}}
		s[name]["then"] = object{"required": []string{"folderId", "folderPath"}}
		s[name]["else"] = object{"required": []string{
			"fileId", "filePath", "url", "fileType", "mime", "size", "hasAlpha", "tags", "AITags", "versionInfo", "isPrivateFile", "customCoordinates",
		}}
	}
	return reference
}

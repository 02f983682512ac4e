package local

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"mediadesk/api/entry"
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
	paths := map[string]object{}
	for _, route := range routes {
		operation := object{"summary": route.summary, "parameters": route.parameters()}
		if body := route.requestBody(); body != nil {
			operation["requestBody"] = body
		}
		answers := object{"default": jsonAnswer("The request failed, with message and help"), strconv.Itoa(route.status): jsonAnswer("Done")}
		if route.status == http.StatusNoContent {
			answers["204"] = object{"description": "Done"}
			answers["200"] = jsonAnswer("Done") // for clients that cannot read an empty answer
		}
		if isUpload(route.pattern) {
			answers[strconv.Itoa(http.StatusAccepted)] = jsonAnswer("Goes on later")
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
		"components": object{"securitySchemes": object{"key": object{"type": "http", "scheme": "basic", "description": "The private key is the user name; the password is ignored."}}},
	}
}

func jsonAnswer(text string) object {
	return object{"description": text, "content": jsonContent(object{})}
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
	for _, field := range entry.Fields {
		properties[field.Name] = takenTypes["text"]
		if field.Kind == entry.KindSwitch || field.Name == "useUniqueFileName" {
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

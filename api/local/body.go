package local

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// readBody reads the JSON object of a request into members and returns the raw members. The first
// required ones must be present and not null. For the others, null sets the zero value, or a Field
// to null. A repeated member is an error.
func readBody(r *http.Request, required int, members ...member) (map[string]json.RawMessage, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, errCutShort
	}
	if len(text) > maxBody {
		return nil, badRequest("The body of the request is too long.", "")
	}
	if len(text) == 0 { // some clients send nothing for an empty object
		text = []byte("{}")
	}
	noteBody(r, text)
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(text, &sent); err != nil || sent == nil {
		return nil, badRequest("The body of the request is not a JSON object.", `Send an object such as {"tags":["a","b"]}.`)
	}
	if name, found := rule.RepeatedMember(text); found {
		return nil, badRequest(quote(name)+" appears twice in the body of the request.", "Send each member once.")
	}
	for name := range sent {
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			var known []string
			for _, m := range members {
				known = append(known, m.name)
			}
			return nil, badRequest(quote(name)+" is not a field of this request.", "It takes "+strings.Join(known, ", ")+".")
		}
	}
	for i, m := range members {
		text, ok := sent[m.name]
		if i < required && (!ok || string(text) == "null") {
			return nil, badRequest("Your request is missing "+m.name+" parameter.", "It is required.").because(missingParameter)
		}
		if ok && json.Unmarshal(text, m.into) != nil {
			return nil, wrongType(m.name, memberHelp[m.name])
		}
	}
	return sent, nil
}

func wrongType(name, help string) error { return invalid(name, "it is of the wrong type", help) }

// invalid returns the answer to a member with a wrong value.
func invalid(name, reason, help string) *problem {
	return badRequest("Your request contains invalid "+name+" parameter: "+reason+".", help).because(invalidParameter)
}

// memberHelp describes the format of members that clients often get wrong.
var memberHelp = map[string]string{
	"tags":              `Send an array of texts such as ["a","b"]. In a details update, null removes them.`,
	"customCoordinates": `Send a text such as "10,20,300,200", or null to remove them.`,
	"customMetadata":    `Send an object such as {"brand":"Acme"}; null removes a key.`,
	"description":       "Send a text, or null to remove it.",
	"webhookUrl":        "Send an http or https address.",
}

// maxBody limits the JSON body of a request, in bytes.
const maxBody = 1 << 20

// member is one member of a JSON body and where its value goes.
type member struct {
	name string
	into any
}

// filePath splits the path of a stored file into folder and name.
func filePath(field, path string) (folder, name string, err error) {
	cut := strings.LastIndexByte(path, '/')
	folder, err = rule.CleanFolder(path[:cut+1])
	if name = path[cut+1:]; err != nil || name == "" {
		return "", "", invalid(field, quote(path)+" is not a file path", "Send filePath as in the record, such as /folder/photo.jpg.")
	}
	return folder, name, nil
}

// fileIDs checks a list of at most most ids and drops repeated ones.
func fileIDs(list []string, most int) ([]string, error) {
	var ids []string
	for _, id := range list {
		if !store.IsID(id) {
			return nil, invalid("fileIds", quote(id)+" is not a file id", "A file id has 24 hexadecimal digits.")
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(list) == 0 || len(list) > most {
		return nil, invalid("fileIds", "it has "+plural(len(list), "file id"), "Send 1 to "+plural(most, "file id")+".")
	}
	return ids, nil
}

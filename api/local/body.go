package local

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// readBody reads the JSON object of a request into the members that the
// operation takes. The first ones, required of them, must be there.
func readBody(r *http.Request, required int, members ...member) error {
	sent, err := rawMembers(r.Body)
	if err != nil {
		return err
	}
	for name := range sent {
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			var known []string
			for _, m := range members {
				known = append(known, m.name)
			}
			return badRequest(quote(name)+" is no field of this request.", "It takes "+strings.Join(known, ", ")+".")
		}
	}
	for i, m := range members {
		text, ok := sent[m.name]
		if !ok || string(text) == "null" {
			if i < required {
				return badRequest("Your request is missing "+m.name+" parameter.", "It is required.")
			}
			continue
		}
		if err := json.Unmarshal(text, m.into); err != nil {
			return badRequest("Your request contains invalid "+m.name+" parameter: it is of the wrong type.", "")
		}
	}
	return nil
}

// member is one member of a JSON body and where its value goes.
type member struct {
	name string
	into any
}

// filePath reads the path of a stored file: its folder and its name.
func filePath(field, path string) (folder, name string, err error) {
	cut := strings.LastIndexByte(path, '/')
	folder, err = api.CleanFolder(path[:cut+1])
	if name = path[cut+1:]; err != nil || name == "" {
		return "", "", badRequest("Your request contains invalid "+field+" parameter: "+quote(path)+" is no path of a file.", "Send it as the record has it, such as /folder/photo.jpg.")
	}
	return folder, name, nil
}

// fileIDs reads a list of ids of which there may be at most most, and drops
// repeated ones.
func fileIDs(list []string, most int) ([]string, error) {
	var ids []string
	for _, id := range list {
		if !store.IsID(id) {
			return nil, badRequest("Your request contains invalid fileIds parameter: "+quote(id)+" is no file id.", "A file id has 24 hexadecimal digits.")
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(list) == 0 || len(list) > most {
		return nil, badRequest("Your request contains invalid fileIds parameter: it has "+plural(len(list), "file id")+".", "Send 1 to "+plural(most, "file id")+".")
	}
	return ids, nil
}

package session

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
)

// CommandLine formats a command of this program for a shell.
func CommandLine(args []string) string {
	words := []string{"mediadesk"}
	for _, a := range args {
		if !plainWord.MatchString(a) {
			a = api.ShellWord(a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// Command returns the arguments of a command with flags and ids or paths. Arguments that look like
// flags follow "--", so that ids from a service cannot act as flags.
func Command(name string, args []string, flags ...string) []string {
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		return slices.Concat([]string{name}, flags, []string{"--"}, args)
	}
	return slices.Concat([]string{name}, args, flags)
}

// WithFlags adds flags to the arguments of a command.
func WithFlags(args []string, flags ...string) []string {
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Concat(args[:at], flags, args[at:])
}

var plainWord = regexp.MustCompile(`^[a-zA-Z0-9_=./:,@%+-]+$`)

// SourceArg returns a source as an argument. Paths that look like a flag are protected.
func SourceArg(s api.Source) string {
	if s.URL != "" {
		return s.URL
	}
	if strings.HasPrefix(s.Path, "-") {
		return "./" + s.Path
	}
	return s.Path
}

// UploadArgs returns the command that does an upload with a profile.
func UploadArgs(e *entry.Entry, p Profile) []string {
	if origin := e.Source.Origin; origin != (api.Origin{}) {
		return Command("transfer", []string{origin.FileID}, "--profile="+origin.Profile, "--to="+p.Name)
	}
	args := []string{"upload", SourceArg(e.Source)}
	for _, f := range entry.Fields {
		for _, value := range f.Arguments(e) {
			if f.Name != rule.FieldName || value != e.Source.Name() {
				args = append(args, "--"+f.Flag+"="+value)
			}
		}
	}
	if p.Folder != "" && !e.Folder.IsSet() || len(p.Tags) > 0 && !e.Tags.IsSet() ||
		len(p.Extensions) > 0 && !e.Extensions.IsSet() {
		// The command would apply the profile's defaults.
		args = append(args, "--no-defaults")
	}
	return args
}

// Together joins uploads that differ only in their source into one command.
func Together(commands [][]string) [][]string {
	var out [][]string
	isFlag := func(arg string) bool { return strings.HasPrefix(arg, "--") }
	isName := func(arg string) bool { return strings.HasPrefix(arg, "--name=") }
	for _, args := range commands {
		flags := args[2:]
		at := slices.IndexFunc(out, func(before []string) bool {
			return slices.Equal(before[slices.IndexFunc(append(before, "--"), isFlag):], flags)
		})
		if at < 0 || slices.ContainsFunc(flags, isName) {
			out = append(out, slices.Clone(args))
			continue
		}
		out[at] = slices.Insert(out[at], len(out[at])-len(flags), args[1])
	}
	return out
}

// DetailsArgs returns the command that changes tags, region and stored fields as d does. It leaves
// out the extensions and the webhook of d; without other changes it shows the details.
func DetailsArgs(ids []string, d api.Details) []string {
	var flags []string
	if tags, ok := d.Tags.Get(); ok {
		flags = append(flags, "--tags="+rule.JoinTags(tags))
	} else if !d.Tags.IsZero() {
		flags = append(flags, "--unset-tags")
	}
	if region, ok := d.CustomCoordinates.Get(); ok {
		flags = append(flags, "--region="+region)
	} else if !d.CustomCoordinates.IsZero() {
		flags = append(flags, "--unset-region")
	}
	for _, f := range entry.StoredFields {
		if _, ok := d.Other[f.Name]; ok {
			flags = append(flags, "--"+f.Flag+"="+d.Other.Text(f.Name))
		}
	}
	if values, ok := d.CustomMetadata.Get(); ok {
		if text, err := json.Marshal(values); err == nil {
			flags = append(flags, "--metadata="+string(text))
		}
	}
	return Command("details", ids, flags...)
}

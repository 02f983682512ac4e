package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// AccessibleVariable selects prompts and sentences instead of screens.
const AccessibleVariable = "MEDIADESK_ACCESSIBLE"

// promptSession runs the program with prompts and sentences: line by line, and no symbol without a
// word. Each answer runs a command, which is shown so that users learn the commands.
type promptSession struct {
	ctx    context.Context //nolint:containedctx // of one run of the session
	p      Program         // with our reader as its input
	global []string        // global flags for every command
	in     *bufio.Reader
	tty    *os.File // to read a key without echo; nil if input is not a terminal
}

// errLeave ends the session: the user left or the input ended.
var errLeave = errors.New("end of input")

// accessible runs the session, starting with an upload of the given files.
func accessible(ctx context.Context, p *Program, f *flags, files []string) error {
	t := &promptSession{ctx: ctx, p: *p, in: bufio.NewReader(p.Stdin)}
	if in, ok := p.Stdin.(*os.File); ok && term.IsTerminal(in.Fd()) {
		t.tty = in
	}
	t.p.Stdin = t.in
	if f.Profile != "" {
		t.global = append(t.global, "--profile="+f.Profile)
	}
	t.global = append(append(t.global, f.Flags()...), "--accessible")
	if f.KeyFD >= 0 {
		t.global = append(t.global, "--key-fd="+strconv.Itoa(f.KeyFD))
	}
	err := t.start(f, files)
	if errors.Is(err, errLeave) {
		t.say("Goodbye.")
		return nil
	}
	return err
}

func (t *promptSession) say(format string, args ...any) {
	fmt.Fprintln(t.p.Stdout, safeLines(fmt.Sprintf(format, args...)))
}

// ask asks a question and returns the trimmed answer.
func (t *promptSession) ask(question string) (string, error) {
	fmt.Fprint(t.p.Stdout, safeLines(question)+" ")
	if t.ctx.Err() != nil {
		return "", errLeave
	}
	line, err := terminal.Ask(t.ctx, t.p.Stdin, func() (string, error) { return t.in.ReadString('\n') })
	if t.tty == nil || err != nil {
		fmt.Fprintln(t.p.Stdout) // no terminal has echoed the enter key
	}
	if err != nil && line == "" {
		return "", errLeave
	}
	return strings.TrimSpace(line), nil
}

// askFlags asks for the values of flags and returns the flags with a value.
func (t *promptSession) askFlags(questions ...[2]string) ([]string, error) {
	var args []string
	for _, q := range questions {
		answer, err := t.ask(q[1])
		if err != nil {
			return nil, err
		}
		if answer != "" {
			args = append(args, "--"+q[0]+"="+answer)
		}
	}
	return args, nil
}

// yes asks a yes-or-no question. An empty answer is no.
func (t *promptSession) yes(question string) (bool, error) {
	for {
		answer, err := t.ask(question + " Type yes or no:")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
		t.say("Please type yes or no.")
	}
}

// menuItem is an item of a menu.
type menuItem struct {
	label string
	do    func() error
}

// menu lists items, asks for a number and runs the chosen item. chosen is false for 0, which goes
// back.
func (t *promptSession) menu(title, back string, items ...menuItem) (chosen bool, err error) {
	t.say("\n%s", title)
	for i, item := range items {
		t.say("%d: %s", i+1, item.label)
	}
	t.say("0: %s", back)
	for {
		answer, err := t.ask("Type a number and press enter:")
		if err != nil {
			return false, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 0 && n <= len(items) {
			if n == 0 {
				return false, nil
			}
			return true, items[n-1].do()
		}
		t.say("%q is not one of the numbers 0 to %d.", answer, len(items))
	}
}

// runs returns a function that runs a command.
func (t *promptSession) runs(args ...string) func() error {
	return func() error {
		_ = t.run(args...) // the error was printed
		return nil
	}
}

// run shows and runs a command of this program. It prints the error.
func (t *promptSession) run(args ...string) error {
	t.say("Command: %s", session.CommandLine(args))
	return t.execute(t.p, args...)
}

// output runs a command without showing it and returns its output, or nil after an error, which it
// prints.
func (t *promptSession) output(args ...string) []byte {
	var out bytes.Buffer
	p := t.p
	p.Stdout = &out
	if t.execute(p, args...) != nil {
		return nil
	}
	return out.Bytes()
}

func (t *promptSession) execute(p Program, args ...string) error {
	root := newRoot(&p)
	root.SetArgs(append(args[:len(args):len(args)], t.global...))
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(t.ctx)
	if err != nil {
		report(t.p.Stdout, err)
	}
	return err
}

// start asks the questions of a first start and then shows the main menu until the user leaves.
func (t *promptSession) start(f *flags, files []string) error {
	t.say("mediadesk: upload, tag and manage images, in prompts and sentences.")
	settings, err := config.Load(t.p.Paths)
	if err != nil {
		return err
	}
	if !settings.Exists && !f.Unnamed() && f.Profile == "" {
		chosen, err := t.menu("This is the first start. Nothing is written or connected before you choose.", "Leave",
			menuItem{"Try it here with the local library: no account, and nothing leaves this computer", func() error {
				_, err := settings.Use(config.LocalProfile)
				return err
			}},
			menuItem{"Connect an account of the hosted service, or of another server", t.addProfile})
		if err != nil {
			return err
		}
		if !chosen {
			return errLeave
		}
	}
	if len(files) > 0 {
		if err := t.send(files); err != nil {
			return err
		}
	}
	for {
		settings, err := config.Load(t.p.Paths)
		if err != nil {
			return err
		}
		profile, err := session.Resolve(settings, f.Request)
		if err != nil {
			return err
		}
		chosen, err := t.menu(fmt.Sprintf("Profile in use: %s. What do you want to do?", profile.Name), "Leave",
			menuItem{"Upload files", func() error { return t.send(nil) }},
			menuItem{"Continue with unfinished uploads", t.runs("resume")},
			menuItem{"Watch extensions finish", t.runs("watch", "--timeout=5m")},
			menuItem{"Read the library and change files", t.library},
			menuItem{"Profiles and keys", t.profiles},
			menuItem{"Check the setup (doctor)", t.runs("doctor")})
		if err != nil {
			return err
		}
		if !chosen {
			return errLeave
		}
	}
}

// send asks for files and options, describes the upload, and sends it.
func (t *promptSession) send(files []string) error {
	if len(files) == 0 {
		var err error
		if files, err = t.pick(); err != nil || len(files) == 0 {
			return err
		}
	}
	args := append([]string{"upload"}, files...)
	info, err := os.Stat(files[0]) // fails for a URL, which is one file
	questions := [][2]string{
		{"tags", "Tags, separated by commas; empty for none:"},
		{"folder", "Folder, such as /summer/; empty for the default:"},
		{"description", "Description; empty for none:"},
	}
	if len(files) == 1 && (err != nil || !info.IsDir()) {
		questions = append(questions,
			[2]string{"region", "Region as x,y,width,height in pixels; empty for none:"},
			[2]string{"name", "Name of the stored file; empty for the name of the source:"})
	}
	given, err := t.askFlags(questions...)
	if err != nil {
		return err
	}
	extensions, err := t.extensions()
	if err != nil {
		return err
	}
	args = append(append(args, given...), extensions...)
	private, err := t.yes("Make it private?")
	if err != nil {
		return err
	}
	if private {
		args = append(args, "--private")
	}
	n := t.describe(args)
	if n == 0 {
		return nil
	}
	send, err := t.yes(fmt.Sprintf("Send %s?", text.Plural(n, "file")))
	if err != nil || !send {
		t.say("Nothing was sent.")
		return err
	}
	if len(extensions) > 0 {
		args = append(args, "--wait", "--timeout=5m")
	}
	return t.runs(args...)()
}

// mostDescribed limits how many files of an upload are described one by one.
const mostDescribed = 20

// describe describes an upload and returns the number of files; 0 if it cannot be sent.
func (t *promptSession) describe(args []string) (n int) {
	phrases := map[string]string{
		"fileName": "with a name like ", "folder": "to the folder ", "tags": "with the tags ", "customCoordinates": "with the region ",
		"extensions": "with the extensions ", "isPrivateFile": "private: ",
	}
	for line := range bytes.Lines(t.output(append(args[:len(args):len(args)], "--dry-run", "--json")...)) {
		var r struct {
			File  string
			Parts []struct{ Name, Value string }
		}
		if json.Unmarshal(line, &r) != nil || len(r.Parts) == 0 {
			continue
		}
		if n++; n > mostDescribed {
			continue
		}
		var words []string
		for _, part := range r.Parts {
			if phrase := phrases[part.Name]; phrase != "" {
				words = append(words, phrase+part.Value)
			}
		}
		t.say("%s will be sent %s.", filepath.Base(r.File), strings.Join(words, ", "))
	}
	if more := n - mostDescribed; more > 0 {
		t.say("And %s.", text.Plural(more, "more file"))
	}
	return n
}

// extensions asks which extensions to run.
func (t *promptSession) extensions() ([]string, error) {
	names := []string{api.RemoveBackground, api.GoogleTagging, api.AWSTagging}
	t.say("Extensions: 1: remove the background. 2: google tagging. 3: aws tagging.")
	for {
		answer, err := t.ask("Numbers or names of extensions to run, separated by commas; empty for none:")
		if err != nil {
			return nil, err
		}
		var args []string
		wrong := ""
		for _, one := range api.SplitTags(answer) {
			if n, err := strconv.Atoi(one); err != nil {
				args = append(args, "--extension="+one)
			} else if n >= 1 && n <= len(names) {
				args = append(args, "--extension="+names[n-1])
			} else {
				wrong = one
			}
		}
		if wrong == "" {
			return args, nil
		}
		t.say("Unknown extension: %s.", wrong)
	}
}

// pick asks for paths, or for file numbers in a folder.
func (t *promptSession) pick() ([]string, error) {
	folder, err := os.Getwd()
	if err != nil {
		folder = "."
	}
	t.say("\nWhich files? Type a path or an address. Type list for the files in %s.", folder)
	var files, listed []string
	for {
		answer, err := t.ask("Path, address, number, list, or empty when done:")
		if err != nil || answer == "" {
			return files, err
		}
		if answer == "list" {
			listed = t.list(folder)
			continue
		}
		picked := answer
		if n, err := strconv.Atoi(answer); err == nil && n > 0 && n <= len(listed) {
			picked = listed[n-1]
		}
		if !strings.Contains(picked, "://") {
			if !filepath.IsAbs(picked) {
				picked = filepath.Join(folder, picked)
			}
			info, err := os.Stat(picked)
			if err != nil {
				t.say("No such file, or it cannot be read: %s", answer)
				continue
			}
			if info.IsDir() {
				folder = picked
				t.say("Current folder: %s. Type list for its files.", folder)
				continue
			}
		}
		files = append(files, picked)
		t.say("Picked: %s. %s so far.", filepath.Base(picked), text.Plural(len(files), "file"))
	}
}

// list lists the files of a folder and returns their paths.
func (t *promptSession) list(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.say("%v", err)
	}
	var listed []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		listed = append(listed, filepath.Join(folder, e.Name()))
		what := "folder"
		if info, err := e.Info(); err == nil && !e.IsDir() {
			what = text.Bytes(info.Size())
		}
		t.say("%d: %s, %s", len(listed), e.Name(), what)
	}
	if len(listed) == 0 {
		t.say("No files here.")
	}
	return listed
}

// library lists the files of the library and changes one.
func (t *promptSession) library() error {
	out := t.output("list", "--json")
	var items []menuItem
	for line := range bytes.Lines(out) {
		var f api.File
		if err := json.Unmarshal(line, &f); err == nil && !f.IsFolder() {
			items = append(items, menuItem{f.FilePath + ", " + describeTags(&f), func() error { return t.details(&f) }})
		}
	}
	if len(items) == 0 {
		if out != nil {
			t.say("The library has no files yet.")
		}
		return nil
	}
	_, err := t.menu(text.Plural(len(items), "file")+" in the library. Which one?", "Back", items...)
	return err
}

func describeTags(f *api.File) string {
	tags := "no tags"
	if list := f.Tags.Or(nil); len(list) > 0 {
		tags = "tags " + strings.Join(list, ", ")
	}
	if region := f.CustomCoordinates.Or(""); region != "" {
		tags += ", region " + region
	}
	return tags
}

// details describes a file and changes its tags or region.
func (t *promptSession) details(f *api.File) error {
	if w, h, ok := f.PixelSize(); ok {
		t.say("%s has %d by %d pixels.", f.FilePath, w, h)
	}
	for _, ai := range f.AITags.Or(nil) {
		t.say("Found by %s: %s, %.0f percent sure.", ai.Source, ai.Name, ai.Confidence)
	}
	change := func(label, flag, question string) menuItem {
		return menuItem{label, func() error {
			flags := []string{"--" + flag}
			if question != "" {
				var err error
				if flags, err = t.askFlags([2]string{flag, question}); err != nil || len(flags) == 0 {
					return err
				}
			}
			t.say("Before: %s.", describeTags(f))
			save, err := t.yes("Save this change: " + strings.TrimPrefix(flags[0], "--") + "?")
			if err != nil || !save {
				t.say("Nothing was changed.")
				return err
			}
			return t.runs(session.Command("details", []string{f.FileID}, flags...)...)()
		}}
	}
	_, err := t.menu(fmt.Sprintf("%s: %s.", f.FilePath, describeTags(f)), "Back",
		change("Add tags", "add-tags", "Tags to add, separated by commas:"),
		change("Remove tags", "remove-tags", "Tags to remove, separated by commas:"),
		change("Replace the tags", "tags", "The tags, separated by commas:"),
		change("Remove all tags", "unset-tags", ""),
		change("Set the region", "region", "Region as x,y,width,height in pixels:"),
		change("Remove the region", "unset-region", ""),
		menuItem{"Read the whole record", t.runs(session.Command("details", []string{f.FileID})...)})
	return err
}

// profiles lists and changes accounts.
func (t *promptSession) profiles() error {
	_, err := t.menu("Profiles and keys.", "Back",
		menuItem{"List the profiles", t.runs("profile", "list")},
		menuItem{"Use another profile", func() error {
			name, err := t.ask("Name of the profile:")
			if err != nil || name == "" {
				return err
			}
			return t.runs("profile", "use", name)()
		}},
		menuItem{"Add an account", t.addProfile},
		menuItem{"Store a key in the keyring", func() error { return t.storeKey("") }},
		menuItem{"Show where the key comes from", t.runs("key", "where")},
		menuItem{"Forget the key in the keyring", t.runs("key", "forget")})
	return err
}

// addProfile asks for an account and makes it the profile in use.
func (t *promptSession) addProfile() error {
	name, err := t.ask("A name for the account, of letters and digits:")
	if err != nil || name == "" {
		return err
	}
	args, err := t.askFlags([2]string{"hosted", "The account's id at the hosted service; empty for another server:"})
	if err == nil && len(args) == 0 {
		args, err = t.askFlags(
			[2]string{"upload-url", "Address for uploads:"},
			[2]string{"base-url", "Address for all other calls; empty for the same:"},
			[2]string{"delivery-url", "Address that serves the files; empty for none:"})
	}
	if err != nil {
		return err
	}
	if t.run(append([]string{"profile", "add", name}, args...)...) != nil || t.run("profile", "use", name) != nil {
		return nil
	}
	return t.storeKey(name)
}

// storeKey asks whether to store the key of a profile in the keyring, and does so.
func (t *promptSession) storeKey(profile string) error {
	store, err := t.yes("Store its private key in the keyring of the operating system?")
	if err != nil || !store {
		t.say("You can also give the key by the variable %s, or by a key file or key command of the profile.", api.KeyVariable)
		return err
	}
	args := []string{"key", "set"}
	if profile != "" {
		args = append(args, "--profile="+profile)
	}
	hidden := *t
	if t.tty != nil {
		hidden.p.Stdin = io.Reader(t.tty) // to type it without echo
	}
	return hidden.runs(args...)()
}

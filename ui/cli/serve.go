package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// serveFlags are the flags of mediadesk serve.
type serveFlags struct {
	addr, data      string
	storage, copyTo string
	redirect        int64
	database        string
	ephemeral       bool
	key             string
	hosts           []string
	public, webhook string
	maxSize         int64
	allow, faults   []string
	named           []string
	seed            string
	faultSeed       uint64
	exec            string
	reset           bool
	log             string
	jsonLog         bool
	health          bool
	check, repair   bool
	from            string
	removeWhenAlone string

	cleaner *cleaner // may be nil
}

func newServe(p *Program, f *flags) *cobra.Command {
	s := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the local service for other programs",
		Long: "Run only the service, for other programs and for tests. It offers the whole API and keeps everything in a folder on this computer. Official SDKs work with it. " +
			"It prints its address, its folder and where the key is; with --json as an object on one line. The key comes from --key or " + api.KeyVariable + "; without them, mediadesk generates one and keeps it in the folder.\n\n" +
			"--ephemeral keeps everything in a temporary folder. --exec runs a command with " + urlVariable + ", " + api.KeyVariable + ", " + publicKeyVariable + " and the variables of the SDKs, " +
			"then stops and exits with its code; it defaults to a temporary folder and a free port.\n\n" +
			"--seed uploads a folder at the start. A file photo.jpg.json beside photo.jpg contains its upload options, as in a manifest: " +
			`{"tags": ["sea"], "region": "10,20,300,200", "metadata": {"price": 12}}` + ".\n\n" +
			"--check verifies every record against its content, by hash and size, instead of serving. It prints each problem on a line (with --json as an object) and exits with 0 if there is none.\n\n" +
			"--repair checks and repairs. It rebuilds damaged, lost or outdated records from the readable parts, the last snapshot and the contents; it cancels extension runs that crashed the program; " +
			"and it makes a copied folder consistent (--from names the original, if it still exists). It removes no content.",
		Example: "mediadesk serve --ephemeral --key dev\nmediadesk serve --seed fixtures --exec 'npm test'\n" +
			"MEDIADESK_PRIVATE_KEY=test mediadesk serve --data /tmp/library --json\n" +
			"mediadesk serve --copy-to 's3://media?region=eu-west-1'\nmediadesk serve --storage 's3://media?region=eu-west-1'\n" +
			"mediadesk serve --check\ncp -r library backup\nmediadesk serve --repair --data backup --from library",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, p, f, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&s.addr, "addr", config.DefaultLocalAddr, "listen on this address; port 0 picks one (default: "+config.DefaultLocalAddr+")")
	fl.StringVar(&s.data, "data", "", "folder of the library (default: the local profile's folder)")
	fl.StringVar(&s.storage, "storage", "", "store of the contents: s3://BUCKET?region=… or file:///FOLDER (default: "+storageVariable+", else the folder of the library)")
	fl.Int64Var(&s.redirect, "redirect-from", 0, "send clients of pictures, videos and sounds to the s3:// storage itself, for files of so many bytes or more (default: never); clients must reach its endpoint")
	fl.StringVar(&s.database, "database", "", "postgres:// address of a PostgreSQL database for the records, without a password; with one: "+config.DatabaseVariable+" (default: SQLite in the folder). Together with --storage, any number of instances can serve the library")
	fl.BoolVar(&s.ephemeral, "ephemeral", false, "keep everything in a temporary folder and remove it at the end")
	fl.StringVar(&s.key, "key", "", "private key, such as dev; on loopback only, because other users of this computer can see it")
	fl.StringArrayVar(&s.hosts, "host", nil, "host name that requests may use (repeatable); beyond loopback also the names of the computer")
	fl.StringVar(&s.public, "public-url", "", "address for the files in records (default: the one that the request used)")
	fl.StringVar(&s.seed, "seed", "", "folder to upload at the start, with its subfolders")
	fl.StringVar(&s.exec, "exec", "", "command to run against the library; its exit code becomes that of serve")
	fl.BoolVar(&s.reset, "allow-reset", false, "let POST /_mediadesk/reset empty the library, as with --ephemeral")
	fl.StringVar(&s.log, "log", "", "what to log on standard error: none, requests or debug (default: requests on a terminal, else none)")
	fl.BoolVar(&s.jsonLog, "json-log", false, "log requests and failures as JSON lines")
	fl.Int64Var(&s.maxSize, "max-size", config.DefaultMaxSize, "largest file in bytes (default: 25000000)")
	fl.StringArrayVar(&s.allow, "allow-address", nil, "internal address that URL sources and webhooks may reach (repeatable)")
	fl.StringVar(&s.webhook, "webhook", "", "webhook of the account: address for the events of transformations; with --json, the first line has its signing secret")
	fl.StringArrayVar(&s.faults, "fault", nil, "inject faults: delay=2s, drop-after=BYTES, answers=lost, refuse=STATUS, rate=5/s, extensions=pending|fail, webhooks=lost|repeated|out-of-order; "+
		"all but delay take a chance, such as refuse=503:0.3 (repeatable)")
	fl.Uint64Var(&s.faultSeed, "fault-seed", 0, "seed that makes random faults repeatable")
	fl.StringArrayVar(&s.named, "transformation", nil, "named transformation, such as card=fo-custom,w-400:h-300 (repeatable)")
	_ = fl.SetAnnotation("transformation", valueOf, []string{"NAME=STEPS"})
	fl.BoolVar(&s.health, "health", false, "check whether the library at --addr works; exits with 0 if so")
	fl.BoolVar(&s.check, "check", false, "verify the library instead of serving it")
	fl.BoolVar(&s.repair, "repair", false, "verify the library and repair it")
	fl.StringVar(&s.copyTo, "copy-to", "", "copy the contents to this storage, or to the "+toFolder+" of the library, and verify them; repeat the command to continue")
	fl.StringVar(&s.from, "from", "", "with --repair: folder of the original library, which may be in use")
	fl.StringVar(&s.removeWhenAlone, removeWhenAlone, "", "")
	fl.Lookup(removeWhenAlone).Hidden = true
	return cmd
}

// storageVariable is the environment variable for --storage.
const storageVariable = "MEDIADESK_STORAGE"

// serveLine is the first line of output with --json.
type serveLine struct {
	Address   string `json:"address"`
	Data      string `json:"data"`
	Key       string `json:"key"` // source of the key, never the key
	PublicKey string `json:"publicKey"`
	Secret    string `json:"webhookSecret,omitempty"` // secret that signs posts to --webhook
	Database  string `json:"database,omitempty"`      // without secrets; empty if the records are in Data
}

func runServe(cmd *cobra.Command, p *Program, f *flags, s *serveFlags) (err error) {
	// An empty variable in a script must not start another library than the one meant.
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Value.Type() == "string" && flag.Value.String() == "" && err == nil {
			err = &exitError{exitUsage, fmt.Errorf("--%s is empty; give it a value, or leave it out", flag.Name)}
		}
	})
	if err != nil {
		return err
	}
	switch {
	case s.removeWhenAlone != "":
		return cleanUp(p.Stdin, s.removeWhenAlone)
	case s.health:
		return askHealth(cmd.Context(), p, s.addr)
	case s.check || s.repair || s.from != "" || s.copyTo != "":
		dir, err := s.folder(p)
		if err != nil {
			return err
		}
		if s.copyTo != "" {
			return runCopy(cmd.Context(), p, f, s, dir)
		}
		return runCheck(cmd.Context(), p, f, s, dir)
	}
	c, err := config.Load(p.Paths)
	if err != nil {
		return err
	}
	o, err := s.options(cmd, p, c.Local)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if s.ephemeral || s.exec != "" {
		cleaner, err := startCleaner(s.ephemeral)
		if err != nil {
			return err
		}
		defer cleaner.stop()
		s.cleaner, s.data = cleaner, cmp.Or(cleaner.dir, s.data)
	}
	// Instances with database and storage need no folder.
	if o.Database == "" || o.Storage == "" || s.data != "" {
		if o.Dir, err = s.folder(p); err != nil {
			return err
		}
	}
	key, err := s.findKey(p, o.Dir)
	if err != nil {
		return err
	}
	o.Key, o.Log = key.secret, s.serviceLog(p, key.secret)
	traces, sendTraces, err := startTraces(cmd.Context(), p, o.Log)
	if err != nil {
		return err
	}
	defer sendTraces()
	o.Traces = traces
	if s.seed != "" {
		if err := seedLibrary(cmd.Context(), p, o, s.seed); err != nil {
			return err
		}
	}
	server, err := local.Serve(cmd.Context(), s.addr, o)
	if taken, ok := errors.AsType[*net.OpError](err); ok && taken.Op == "listen" {
		return fmt.Errorf("%w; choose another address with --addr (port 0 picks a free one)", err)
	}
	if err != nil {
		return err
	}
	defer func() {
		if closing := server.Close(); err == nil {
			err = closing
		}
	}()
	if server.Public() {
		fmt.Fprintln(p.Stderr, "Listening beyond this computer: everyone who can reach "+s.addr+" and has the key can use this library.")
	}
	if faults := o.Fault.String(); faults != "" {
		p.note(f, "faults on: %s", faults)
	}
	switch {
	case f.json:
		line := serveLine{server.Address, o.Dir, key.source, local.PublicKey(key.secret), "", config.ShownDatabase(o.Database)}
		if o.Webhook != "" {
			line.Secret = local.WebhookSecret(key.secret)
		}
		err = printJSON(p.Stdout, line)
	case s.exec != "":
	case p.TerminalOut:
		_, err = io.WriteString(p.Stdout, s.banner(p.Version, server.Address, o, key))
	default:
		_, err = fmt.Fprintf(p.Stdout, "The local library listens on %s\n%s  key       %s\nPress ctrl+c to stop it.\n", server.Address, s.places(o, 10), text.Safe(key.source))
	}
	if err != nil {
		return err
	}
	if s.exec != "" {
		return s.runCommand(cmd.Context(), p, server.Address, key.secret)
	}
	<-cmd.Context().Done()
	return nil
}

// folder returns the absolute path of the library's folder.
func (s *serveFlags) folder(p *Program) (string, error) {
	return filepath.Abs(cmp.Or(s.data, p.Paths.Library()))
}

func (s *serveFlags) storageOr(p *Program, settings config.Local) string {
	return cmp.Or(s.storage, p.Getenv(storageVariable), settings.Storage)
}

// options returns the options from flags and settings.
func (s *serveFlags) options(cmd *cobra.Command, p *Program, settings config.Local) (local.Options, error) {
	given := cmd.Flags().Changed
	database, err := s.findDatabase(p, settings)
	if err != nil {
		return local.Options{}, err
	}
	o := local.Options{Database: database, MaxSize: settings.MaxSize, AllowAddresses: settings.AllowAddresses, Seed: settings.Seed, Commands: settings.Commands, Named: map[string]string{}}
	faults := settings.Fault
	s.moveSeed(p)
	if s.ephemeral && s.data != "" {
		return o, errors.New("--ephemeral and --data exclude each other")
	}
	if s.exec != "" {
		s.ephemeral = s.data == ""
		if !given("addr") {
			s.addr = "127.0.0.1:0"
		}
	}
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return o, fmt.Errorf("--addr takes HOST:PORT, not %q", s.addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return o, fmt.Errorf("--addr %q: the port must be a number up to 65535", s.addr)
	}
	if u, err := url.Parse(s.public); s.key != "" && (!api.IsLoopback(host) || s.public != "" && (err != nil || !api.IsLoopback(u.Hostname()))) {
		return o, errors.New("--key is allowed on loopback only, since others could guess it. Set " + api.KeyVariable + ", or leave it out")
	}
	for _, host := range s.hosts {
		if err := local.CheckHost(host); err != nil {
			return o, fmt.Errorf("--host: %w", err)
		}
	}
	if given("public-url") {
		if err := local.CheckPublicURL(s.public); err != nil {
			return o, fmt.Errorf("--public-url: %w", err)
		}
	}
	if !s.ephemeral { // which keeps everything in its folder
		o.Storage = s.storageOr(p, settings)
	} else if s.storage != "" {
		return o, errors.New("--ephemeral and --storage exclude each other")
	}
	if o.RedirectFrom = s.redirect; s.redirect < 0 {
		return o, errors.New("--redirect-from takes a number of bytes above 0")
	}
	o.Webhook = s.webhook
	o.Hosts, o.Address, o.Version, o.AllowReset = s.hosts, s.public, p.Version, s.ephemeral || s.reset
	o.Emulator = true
	if o.Observe, err = s.requestLog(p); err != nil {
		return o, err
	}
	if given("max-size") {
		if o.MaxSize = s.maxSize; s.maxSize <= 0 {
			return o, errors.New("--max-size takes a number of bytes above 0")
		}
	}
	if given("allow-address") {
		o.AllowAddresses = s.allow
		for _, text := range s.allow {
			if err := local.CheckAllowed(text); err != nil {
				return o, err
			}
		}
	}
	if given("fault") {
		faults = s.faults
	}
	if s.faultSeed != 0 {
		o.Seed = s.faultSeed
	}
	maps.Copy(o.Named, settings.Transformations)
	for _, text := range s.named {
		name, steps, ok := strings.Cut(text, "=")
		if !ok {
			return o, fmt.Errorf("--transformation takes NAME=STEPS, not %q", text)
		}
		o.Named[name] = steps
	}
	if err := local.CheckNamed(o.Named); err != nil {
		return o, err
	}
	o.Fault, err = local.ParseFault(faults)
	return o, err
}

// findDatabase returns the database address from --database, the environment or the settings; empty
// for records in the folder.
func (s *serveFlags) findDatabase(p *Program, settings config.Local) (string, error) {
	if s.database != "" {
		if err := config.CheckDatabase(s.database, false); err != nil {
			return "", fmt.Errorf("--database: %w", err)
		}
		return s.database, nil
	}
	if s.ephemeral || s.exec != "" && s.data == "" {
		return "", nil // a throwaway library
	}
	address := cmp.Or(p.Getenv(config.DatabaseVariable), settings.Database)
	if address == "" {
		return "", nil
	}
	if err := config.CheckDatabase(address, true); err != nil {
		return "", fmt.Errorf("%s: %w", config.DatabaseVariable, err)
	}
	for _, text := range config.DatabaseSecrets(address) {
		if secret, err := config.NewSecret(text); err == nil && p.Options.Secrets != nil {
			p.Options.Secrets.Add(secret)
		}
	}
	return address, nil
}

// moveSeed accepts a number for --seed, the former --fault-seed, with a notice.
func (s *serveFlags) moveSeed(p *Program) {
	n, err := strconv.ParseUint(s.seed, 10, 64)
	if err != nil {
		return
	}
	if _, err := os.Stat(s.seed); err == nil {
		return
	}
	fmt.Fprintf(p.Stderr, "--seed now takes a folder to upload. Using %d as --fault-seed.\n", n)
	s.seed, s.faultSeed = "", n
}

// serveKey is the key of a served library.
type serveKey struct {
	secret config.Secret
	source string // its origin: a flag, a variable or a file
	shell  string // in shell syntax
	plain  bool   // it may be shown, since it protects only a throwaway library
}

// findKey returns the key from --key, the environment or the folder, where it is created if
// missing.
func (s *serveFlags) findKey(p *Program, dir string) (k serveKey, err error) {
	given := p.Getenv(api.KeyVariable)
	switch {
	case s.key != "":
		k = serveKey{source: "--key", shell: s.key, plain: true}
		k.secret, err = config.NewSecret(s.key)
	case given != "":
		k = serveKey{source: "environment " + api.KeyVariable, shell: "$" + api.KeyVariable}
		k.secret, err = config.NewSecret(given)
	case dir == "":
		return k, &exitError{exitKey, errors.New("all instances of a library need the same key: set " + api.KeyVariable)}
	default:
		var text string
		if text, k.source, err = local.FolderKey(dir); err != nil {
			return k, err
		}
		k.shell, k.plain = "$(cat '"+strings.ReplaceAll(k.source, "'", `'\''`)+"')", s.ephemeral
		if k.plain {
			k.shell = text
		}
		k.secret, err = config.NewSecret(text)
		return k, err
	}
	if err != nil {
		err = &exitError{exitKey, fmt.Errorf("%s: %w", strings.TrimPrefix(k.source, "environment "), err)}
	}
	return k, err
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// minProcessors is the least GOMAXPROCS of a service. A goroutine that waits for the disk keeps its
// processor until the runtime notices. With one for each of 2 cores, 16 connections upload 30 %
// fewer files in a second, and pages beside 8 of them take twice as long.
const minProcessors = 8

type serveFlags struct {
	local.Options
	addr, copyTo, key, exec, log     string
	seeds                            []string
	faults                           []string
	named                            map[string]string
	ephemeral, health, check, repair bool
}

func newServe(p *Program) *cobra.Command {
	s := &serveFlags{named: map[string]string{}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the local service for other programs",
		Long: "Run the local service alone, for other programs and for tests. It implements the media library API (see Differences in docs/serve.md) and keeps everything in a folder on this computer. Official SDKs work with it. " +
			"It prints its URL, its folder and where the key is; with --json, as an object on one line. The key comes from --key or " + api.KeyVariable + "; without them, mediadesk generates one and keeps it in the folder.\n\n" +
			"--ephemeral keeps everything in a temporary folder. --exec runs a command with " + urlVariable + ", " + api.KeyVariable + ", " + publicKeyVariable + " and the variables of the SDKs, " +
			"then stops and exits with the code of the command. By default, it uses a temporary folder and a free port.\n\n" +
			"--seed uploads a folder at the start. A file photo.jpg.json beside photo.jpg contains its upload options, as in a manifest: " +
			`{"tags": ["sea"], "region": "10,20,300,200", "metadata": {"price": 12}}` + ".\n\n" +
			"--check verifies every record against its content, by hash and size, instead of serving. It prints each problem on a line (with --json, as an object) and exits with 0 if there is none.\n\n" +
			"--repair verifies and repairs. It replaces damaged, lost or outdated records with the last good snapshot, and sets contents without a record aside for 30 days.",
		Example: "mediadesk serve --ephemeral --key dev\nmediadesk serve --seed fixtures --exec 'npm test'\n" +
			"MEDIADESK_PRIVATE_KEY=test mediadesk serve --data /tmp/library --json\n" +
			"mediadesk serve --copy-to 's3://media?region=eu-west-1'\nmediadesk serve --storage 's3://media?region=eu-west-1'\n" +
			"mediadesk serve --check\nmediadesk serve --repair",
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, p, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&s.addr, "addr", config.DefaultLocalAddr, "`HOST:PORT`: listen on this address; port 0 picks one (default: "+config.DefaultLocalAddr+")")
	fl.StringVar(&s.Dir, "data", "", "`DIR`: folder of the library (default: the local profile's folder)")
	fl.StringVar(&s.Storage, "storage", "", "`URL`: store of the contents: s3://BUCKET?region=… or file:///FOLDER (default: "+storageVariable+", else the folder of the library)")
	fl.StringVar(&s.Database, "database", "", "`URL`: postgres:// URL of a PostgreSQL database for the records (default: SQLite in the folder). "+
		"If the URL has a password, set "+config.DatabaseVariable+" instead. Together with --storage, any number of instances can serve the library")
	fl.BoolVar(&s.ephemeral, "ephemeral", false, "keep everything in a temporary folder and remove it at the end")
	fl.StringVar(&s.key, "key", "", "`KEY`: private key, such as dev; on loopback only, because other users of this computer can see it")
	fl.Func("host", "`HOST`: host name that requests may use (repeatable); beyond loopback, the names of the computer are allowed, too", repeated(&s.Hosts, local.CheckHost))
	fl.Func("public-url", "`URL`: URL for the files in records (default: the one that the request used)", func(address string) error {
		s.Address = address
		return local.CheckPublicURL(address)
	})
	fl.StringArrayVar(&s.seeds, "seed", nil, "`DIR`: folder to upload at the start and after a reset, with its subfolders; with --ephemeral repeatable: a reset may name another")
	fl.StringVar(&s.exec, "exec", "", "`COMMAND`: command to run against the library; its exit code becomes that of serve")
	fl.BoolVar(&s.Lenient, "lenient", false, "ignore unknown transformations, and name them in a response header")
	fl.BoolVar(&s.AllowReset, "allow-reset", false, "allow POST /_mediadesk/reset to empty the library, as with --ephemeral")
	fl.StringVar(&s.log, "log", "", "`LEVEL`: what to log on standard error: none or requests (default: requests on a terminal, else none)")
	fl.Int64Var(&s.MaxSize, "max-size", config.DefaultMaxSize, "`BYTES`: largest file in bytes (default: 25000000)")
	fl.Func("allow-address", "`ADDRESS`: internal address that URL sources and webhooks may reach (repeatable)", repeated(&s.AllowAddresses, local.CheckAllowed))
	fl.StringVar(&s.Webhook, "webhook", "", "`URL`: URL that gets the events of transformations; with --json, the first line has the signing secret")
	fl.StringArrayVar(&s.faults, "fault", nil, "`KIND=VALUE`: inject faults: delay=2s, drop-after=BYTES, answers=lost, refuse=STATUS, rate=5/s, extensions=pending|fail, webhooks=lost|repeated; "+
		"all except delay accept a probability, such as refuse=503:0.3 (repeatable)")
	fl.Uint64Var(&s.Seed, "fault-seed", 0, "`N`: seed of random faults, to repeat a run")
	fl.Func("transformation", "`NAME=STEPS`: named transformation, such as card=fo-custom,w-400:h-300 (repeatable)", func(content string) error {
		name, steps, _ := strings.Cut(content, "=")
		s.named[name] = steps
		return local.CheckNamed(s.named)
	})
	fl.BoolVar(&s.health, "health", false, "check whether the library at --addr works, instead of serving (exit code 0: it works)")
	fl.BoolVar(&s.check, "check", false, "verify the library instead of serving it")
	fl.BoolVar(&s.repair, "repair", false, "verify the library and repair it")
	fl.StringVar(&s.copyTo, "copy-to", "", "`URL`: copy the contents to this storage, or to the "+toFolder+" of the library, and verify them; repeat the command to continue")
	cmd.MarkFlagsMutuallyExclusive("ephemeral", "data")
	cmd.MarkFlagsMutuallyExclusive("ephemeral", "storage")
	return cmd
}

const storageVariable = "MEDIADESK_STORAGE"

type serveLine struct {
	Address   string `json:"address"`
	Data      string `json:"data"`
	Key       string `json:"key"` // source of the key, never the key
	PublicKey string `json:"publicKey"`
	Secret    string `json:"webhookSecret,omitempty"` // secret that signs posts to --webhook
	Database  string `json:"database,omitempty"`      // without secrets; empty if the records are in Data
}

func runServe(cmd *cobra.Command, p *Program, s *serveFlags) (err error) {
	// An empty variable in a script must not start another library than the one meant.
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Value.Type() == "string" && flag.Value.String() == "" && err == nil {
			err = &exitError{exitUsage, fmt.Errorf("--%s is empty; give it a value, or leave it out", flag.Name)}
		}
	})
	if err != nil {
		return err
	}
	if s.health {
		return askHealth(cmd.Context(), p, s.addr)
	}
	c, err := config.Load(p.Paths)
	if err != nil {
		return err
	}
	if s.check || s.repair || s.copyTo != "" {
		if err := errors.Join(s.locate(p, c.Local), s.folder(p)); err != nil {
			return err
		}
		if s.copyTo != "" {
			return runCopy(cmd.Context(), p, s)
		}
		return runCheck(cmd.Context(), p, s)
	}
	return s.serve(cmd, p, c.Local)
}

// serve serves the library until a signal, or until the command of --exec ends.
func (s *serveFlags) serve(cmd *cobra.Command, p *Program, settings config.Local) (err error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP) // the terminal was closed
	defer stop()
	if err := s.complete(cmd, p, settings); err != nil {
		return &exitError{exitUsage, err}
	}
	if s.ephemeral {
		if s.Dir, err = os.MkdirTemp("", "mediadesk-serve-"); err != nil {
			return err
		}
		defer os.RemoveAll(s.Dir)
	}
	// Instances with database and storage need no folder.
	if s.Database == "" || s.Storage == "" || s.Dir != "" {
		if err := s.folder(p); err != nil {
			return err
		}
	}
	key, err := s.findKey(p)
	if err != nil {
		return err
	}
	secrets := cmp.Or(p.Secrets, new(config.Redactor))
	if s.key == "" { // a key such as dev is not secret and may be part of words
		secrets.Add(key.secret)
	}
	// Failures go to the program's log and to standard error.
	s.Key, s.Log = key.secret, slog.New(slog.NewMultiHandler(slog.Default().Handler(),
		slog.NewTextHandler(secrets.Writer(p.Stderr), nil)))
	if len(s.seeds) > 0 {
		if err := seedLibrary(ctx, p, &s.Options, s.seeds); err != nil {
			return err
		}
	}
	if p.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(minProcessors, runtime.GOMAXPROCS(0)))
	}
	server, err := local.Serve(ctx, s.addr, s.Options)
	if taken, ok := errors.AsType[*net.OpError](err); ok && taken.Op == "listen" {
		return fmt.Errorf("%w; choose another address with --addr (port 0 picks a free one)", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, server.Close()) }()
	if server.Public() {
		fmt.Fprintln(p.Stderr, "Listening beyond this computer: everyone who can reach "+s.addr+" and has the key can use this library.")
	}
	if faults := s.Fault.String(); faults != "" {
		p.note("faults on: %s", faults)
	}
	if err := s.announce(p, server.Address, key); err != nil {
		return err
	}
	if s.exec != "" {
		return s.runCommand(ctx, p, server.Address, key.secret)
	}
	<-ctx.Done()
	return nil
}

func (s *serveFlags) announce(p *Program, address string, key serveKey) (err error) {
	switch {
	case p.json:
		secret, database := text.If(s.Webhook != "", local.WebhookSecret(key.secret)), config.ShownDatabase(s.Database)
		err = p.printJSON(serveLine{address, s.Dir, key.source, local.PublicKey(key.secret), secret, database})
	case s.exec != "":
	case p.TerminalOut:
		_, err = io.WriteString(p.Stdout, s.banner(address, key))
	default:
		_, err = fmt.Fprintf(p.Stdout, "The local library listens on %s\n%s  key       %s\nPress ctrl+c to stop it.\n", address, s.places(10), text.Safe(key.source))
	}
	return err
}

// folder makes the library's folder an absolute path, by default that of the local profile.
func (s *serveFlags) folder(p *Program) (err error) {
	s.Dir, err = filepath.Abs(cmp.Or(s.Dir, p.Paths.Library()))
	return err
}

// complete checks the flags and completes the options from the settings.
func (s *serveFlags) complete(cmd *cobra.Command, p *Program, settings config.Local) error {
	given := cmd.Flags().Changed
	if s.exec != "" {
		s.ephemeral = s.Dir == ""
		if !given("addr") {
			s.addr = "127.0.0.1:0"
		}
	}
	if s.ephemeral && s.Storage != "" {
		return errors.New("--storage needs --data: without it, --exec uses a temporary folder")
	}
	if len(s.seeds) > 1 && !s.ephemeral {
		return errors.New("several --seed need --ephemeral")
	}
	if err := s.locate(p, settings); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return fmt.Errorf("--addr takes HOST:PORT, not %q", s.addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("--addr %q: the port must be a number up to 65535", s.addr)
	}
	public, err := url.Parse(s.Address)
	here := s.Address == "" || err == nil && api.IsLoopback(public.Hostname())
	if s.key != "" && (!here || !api.IsLoopback(host)) {
		return errors.New("--key is allowed on loopback only, since others could guess it. Set " + api.KeyVariable + ", or leave it out")
	}
	if !given("max-size") {
		s.MaxSize = settings.MaxSize
	} else if s.MaxSize < 1 {
		return errors.New("--max-size takes a number of bytes above 0")
	}
	if !given("allow-address") {
		s.AllowAddresses = settings.AllowAddresses
	}
	s.Version, s.Emulator, s.Commands = p.Version, true, settings.Commands
	s.AllowReset = s.AllowReset || s.ephemeral
	s.Named = map[string]string{}
	maps.Copy(s.Named, settings.Transformations)
	maps.Copy(s.Named, s.named)
	if s.Observe, err = s.requestLog(p); err != nil {
		return err
	}
	s.Fault, err = local.ParseFault(s.faults)
	return err
}

// locate completes where records and contents are from the environment and the settings. A
// throwaway library has them in its folder.
func (s *serveFlags) locate(p *Program, settings config.Local) error {
	throwaway := s.ephemeral || s.exec != "" && s.Dir == ""
	if !throwaway {
		s.Storage = cmp.Or(s.Storage, p.Getenv(storageVariable), settings.Storage)
	}
	if s.Database != "" {
		if err := config.CheckDatabase(s.Database, false); err != nil {
			return fmt.Errorf("--database: %w", err)
		}
		return nil
	}
	address := cmp.Or(p.Getenv(config.DatabaseVariable), settings.Database)
	if throwaway || address == "" {
		return nil
	}
	if err := config.CheckDatabase(address, true); err != nil {
		return fmt.Errorf("%s: %w", config.DatabaseVariable, err)
	}
	for _, content := range config.DatabaseSecrets(address) {
		if secret, err := config.NewSecret(content); err == nil && p.Secrets != nil {
			p.Secrets.Add(secret)
		}
	}
	s.Database = address
	return nil
}

type serveKey struct {
	secret config.Secret
	source string // its origin: a flag, a variable or a file
	shell  string // in shell syntax
	plain  bool   // it may be shown, since it protects only a throwaway library
}

// findKey returns the key from --key, the environment or the folder, where it is created if
// missing.
func (s *serveFlags) findKey(p *Program) (k serveKey, err error) {
	content := cmp.Or(s.key, p.Getenv(api.KeyVariable))
	switch {
	case s.key != "":
		k = serveKey{source: "--key", shell: s.key, plain: true}
	case content != "":
		k = serveKey{source: "environment " + api.KeyVariable, shell: "$" + api.KeyVariable}
	case s.Dir == "":
		return k, &exitError{exitKey, errors.New("all instances of a library need the same key: set " + api.KeyVariable)}
	default:
		if content, k.source, err = local.FolderKey(s.Dir); err != nil {
			return k, err
		}
		k.plain = s.ephemeral
		k.shell = text.Either(k.plain, content, "$(cat '"+strings.ReplaceAll(k.source, "'", `'\''`)+"')")
	}
	if k.secret, err = config.NewSecret(content); err != nil {
		err = &exitError{exitKey, fmt.Errorf("%s: %w", strings.TrimPrefix(k.source, "environment "), err)}
	}
	return k, err
}

const urlVariable = "MEDIADESK_URL"

// publicKeyVariable passes the public key, for uploads from web pages.
const publicKeyVariable = "MEDIADESK_PUBLIC_KEY"

// runCommand runs the command of --exec and returns its exit code as an error, nil for 0. When ctx
// ends, it ends the command and its children.
func (s *serveFlags) runCommand(ctx context.Context, p *Program, address string, key config.Secret) error {
	cmd := shellCommand(ctx, s.exec)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Env = append(os.Environ(),
		urlVariable+"="+address, api.KeyVariable+"="+key.Reveal(), publicKeyVariable+"="+local.PublicKey(key),
		"IMAGE_KIT_BASE_URL="+address, "IMAGEKIT_PRIVATE_KEY="+key.Reveal()) // which the official SDKs read
	// On a terminal the command stays in our process group to read keys and get ctrl+c.
	in, ok := p.Stdin.(*os.File)
	group := !ok || !term.IsTerminal(in.Fd())
	if group {
		newGroup(cmd)
	}
	cmd.Cancel = func() error { return endProcess(cmd.Process.Pid, group, false) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %q: %w", s.exec, err)
	}
	err := cmd.Wait()
	if group {
		_ = endProcess(cmd.Process.Pid, true, true) // end remaining children
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	code := exit.ExitCode()
	if code < 0 {
		code = exitFailed
		if n, ok := endedBy(exit.ProcessState); ok {
			code = 128 + n
		}
	}
	return &exitError{code, nil}
}

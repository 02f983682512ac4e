package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

const toOutput = "-"

type download struct {
	p      *Program
	to     string
	filter session.Filter

	done, already int
	failed        failures
}

func newDownload(p *Program) *cobra.Command {
	d := &download{p: p}
	cmd := &cobra.Command{
		Use: "download FILE…", Short: "Download stored files and folders",
		Long: "Download stored files, also private ones, to a local folder, which is created if it does not exist. " +
			"Existing files are never overwritten: the new one gets a number. --to - writes the bytes to standard output.\n\n" +
			"FILE can be a folder: its files are downloaded with the folders below it. A file that already exists with the same size and time is skipped. " +
			"After an interruption, the same command continues where it was.",
		Example: "mediadesk download /summer/a.jpg\nmediadesk download /summer/ --to Pictures --newer-than 7d\n" +
			"mediadesk download /summer/ --to backup --include '*.jpg' --exclude raw\n" +
			"mediadesk download /summer/a.jpg --to - > copy.jpg",
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&d.to, "to", ".", "`DIR`: local folder (default: the current one); - writes to standard output")
	addSelection(cmd.Flags(), &d.filter)
	p.addTransfer(cmd)
	return cmd
}

func (d *download) run(ctx context.Context, names []string) error {
	switch {
	case d.to == "":
		return usage("--to is empty: check the variable that it comes from")
	case d.to != toOutput:
		var err error
		if d.to, err = filepath.Abs(d.to); err != nil {
			return err
		}
	case d.p.json:
		return usage("--to - and --json exclude each other: both write to standard output")
	case d.p.TerminalOut && !d.p.dryRun:
		return usage("--to - writes bytes, which a terminal cannot show: write them to a file or a command")
	}
	s, err := d.p.open(ctx)
	if err != nil {
		return err
	}
	folders := false
	err = d.p.findAll(ctx, s, names, andRoot, func(file *api.File) error {
		switch {
		case file.IsFolder():
			folders = true
			return d.folder(ctx, s, file.FolderPath)
		case d.to == toOutput:
			return d.write(ctx, s, file)
		}
		name, _ := session.LocalName(file)
		path, err := filepath.Join(d.to, name), error(nil)
		if !d.p.dryRun {
			path, err = s.Download(ctx, *file, d.to, nil)
		}
		if err != nil {
			return err
		}
		return d.print(session.Downloaded{File: file, Path: path})
	})
	if folders && !d.p.json && !d.p.dryRun {
		d.p.note("%s downloaded, %d skipped", text.Plural(d.done, "file"), d.already)
	}
	return cmp.Or(err, d.failed.exit())
}

// folder downloads the files of a folder. A failure does not stop the others.
func (d *download) folder(ctx context.Context, s *session.Session, folder string) error {
	if d.to == toOutput {
		return usage("a folder cannot be written to standard output: name its files, or a folder with --to")
	}
	found := false
	err := s.DownloadFolder(ctx, folder, d.to, d.filter, d.p.Concurrency, d.p.dryRun,
		func(file session.Downloaded) {
			found = true
			if file.Err == nil {
				file.Err = d.print(file)
			}
			d.failed.add(d.p, file.File.FilePath, file.Err)
		})
	if err == nil && !found {
		d.p.note("%s has no files%s.", folder, text.If(selects(d.filter), " that the flags select"))
	}
	return err
}

func (d *download) write(ctx context.Context, s *session.Session, file *api.File) error {
	if d.p.dryRun {
		return d.print(session.Downloaded{File: file, Path: "standard output"})
	}
	body, err := s.Fetch(ctx, *file, file.Size.Or(session.MaxUnknown))
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := io.Copy(d.p.Stdout, body)
	if size, known := file.Size.Get(); err == nil && known && n != size {
		err = fmt.Errorf("received %d bytes, but the record says %d", n, size)
	}
	return err
}

func (d *download) print(file session.Downloaded) error {
	what := text.Either(d.p.dryRun, "would be downloaded to ", "downloaded to ")
	if file.Already {
		what = "skipped, exists as "
		d.already++
	} else {
		d.done++
	}
	line := fileLine{
		Action: "download", FileID: file.File.FileID, From: file.File.FilePath, To: file.Path,
		File: &record{file.File}, Already: file.Already,
	}
	_, changed := session.LocalName(file.File)
	safe := text.If(changed && d.to != toOutput, " (a safe name)")
	return d.p.result(line, file.File.FilePath+": "+what+file.Path+safe)
}

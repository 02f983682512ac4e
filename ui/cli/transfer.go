package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

type transfer struct {
	p    *Program
	to   string
	o    session.TransferOptions
	move bool
}

func newTransfer(p *Program) *cobra.Command {
	t := &transfer{p: p}
	cmd := &cobra.Command{
		Use: "transfer FILE… --to PROFILE", Short: "Send stored files and folders to another profile",
		Long: "Send stored files of this profile to another one: from the local library to an account, or from one account to another. " +
			"Tags, region, description, custom metadata, folder and the private flag are sent, too. FILE can be a folder: all files in it are sent. " +
			"The files stay where they are unless you add --move.\n\n" +
			"Files keep their names, and nothing is overwritten: a file whose name is taken is skipped. Earlier versions, AI tags, the state of extensions, and custom metadata that " +
			"the other profile has no field for are not sent. If something cannot be sent, the command lists it and asks first; without a terminal it stops unless you add --yes. " +
			"After an interruption, the same command continues. --key-fd and MEDIADESK_PRIVATE_KEY are for the other profile; the key of this one is found as usual.\n\n" +
			"--move deletes each file, with its versions, after it reads the new record back and confirms that the sizes match. A file that fails stays. Empty folders stay, too. The command asks first; in a script, add --yes.",
		Example: "mediadesk transfer /summer/ --to work --yes\nmediadesk transfer /summer/a.jpg --to work --folder /news/ --yes\n" +
			"mediadesk transfer / --to work --exclude drafts --dry-run",
		RunE: func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&t.to, "to", "", "`PROFILE`: profile to send to")
	fl.BoolVar(&t.move, "move", false, "delete each file here after the other profile has it")
	fl.StringVar(&t.o.Folder, "folder", "", "`FOLDER`: target folder (default: the current folder of each file)")
	addSelection(fl, &t.o.Filter)
	p.addTransfer(cmd)
	p.addRetryFor(cmd)
	_ = cmd.MarkFlagRequired("to")
	return cmd
}

func (t *transfer) run(ctx context.Context, names []string) error {
	if t.p.Unnamed() {
		return usage("mediadesk transfer needs two profiles: add a profile with these URLs first (mediadesk profile add)")
	}
	source, err := t.p.opened(session.Describe(t.p.Options)) // which sends nothing
	if err != nil {
		return err
	}
	t.p.Profile = t.to
	s, err := t.p.open(ctx)
	if err != nil {
		return err
	}
	from, err := s.Other(ctx, source.Profile.Name)
	if err != nil {
		return err
	}
	var items []api.File
	failed := failures{exitCode(t.p.findAll(ctx, from, names, andRoot, func(item *api.File) error {
		items = append(items, *item)
		return nil
	}))}
	plan, err := s.PlanTransfer(ctx, from.Profile.Name, t.to, items, t.o)
	if err != nil {
		return err
	}
	if t.move {
		plan.Move()
	}
	out := newUploadOutput(t.p)
	for _, file := range plan.Skipped {
		source := api.Source{Origin: api.Origin{Profile: plan.From, Path: file.Path}}
		if file.There {
			err = out.skipped(source, nil, ": "+file.Reason.Error())
		} else {
			err = out.unsent(job.Job{Upload: api.Upload{Source: source}}, file.Reason)
		}
		if err != nil {
			return err
		}
	}
	if t.p.dryRun {
		for i := range plan.Jobs {
			if err := t.p.showRequest(s.Client.DescribeUpload(&plan.Jobs[i].Upload)); err != nil {
				return err
			}
		}
		t.p.note("%s (%s) would be %s from %s to %s", text.Plural(len(plan.Jobs), "file"), text.Bytes(plan.Bytes),
			text.Either(t.move, "moved", "sent"), plan.From, plan.To)
		t.reportLost(session.LostOf(plan.Jobs))
		return errors.Join(failed.exit(), out.end())
	}
	if err := t.ask(ctx, plan); err != nil {
		return err
	}
	jobs, err := s.Send(ctx, plan.Jobs)
	if err == nil && len(plan.Unfinished) > 0 { // of earlier transfers of the same files
		var more []job.Job
		more, err = s.Queue.Resume(ctx, plan.Unfinished)
		jobs = append(jobs, more...)
	}
	if len(jobs)+len(plan.Skipped) == 0 && err == nil {
		t.p.note("No files to send.")
	}
	if err == nil {
		err = out.finish(ctx, s, jobs, false, 0)
	}
	// A file that was not sent or not deleted is still complete in this profile.
	t.reportLost(session.LostOf(slices.DeleteFunc(out.jobs,
		func(j job.Job) bool { return j.State != job.Stored || j.Move == job.MoveFailed })))
	return cmp.Or(err, failed.exit())
}

func (t *transfer) reportLost(lost string) {
	if lost != "" {
		t.p.note("%s: %s", text.Either(t.move, "Lost by the move", "Left behind"), lost)
	}
}

// ask asks if something is left behind or deleted. The error means that the answer was not yes.
func (t *transfer) ask(ctx context.Context, plan *session.Transfer) error {
	lost, deletes := session.LostOf(plan.Jobs), t.move && len(plan.Jobs) > 0
	files := text.Plural(len(plan.Jobs), "file")
	switch {
	case lost == "" && !deletes || t.p.yes:
		t.reportLost(lost)
		return nil
	case !t.p.Terminal && deletes:
		return usage("--move deletes %s from %s. Add --yes to agree, or preview it with --dry-run", files, plan.From)
	case !t.p.Terminal:
		return usage("some of it stays behind: %s. Add --yes to send the rest, or preview it with --dry-run", lost)
	}
	t.reportLost(lost)
	question := fmt.Sprintf("%s %s (%s) from %s to %s?", text.Either(deletes, "Move", "Send"), files,
		text.Bytes(plan.Bytes), plan.From, plan.To)
	question += text.If(deletes, fmt.Sprintf(" Each file with all its versions is deleted from %s once %s has it. This cannot be undone.", plan.From, plan.To))
	return t.p.confirm(ctx, question)
}

package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// jobStep is the number of files copied or moved in one transaction. A job of one step is atomic.
const jobStep = 1000

// folderJob copies or moves a folder with its contents. From and To are in the form of
// rule.CleanFolder; To is the new path of the folder itself.
type folderJob struct {
	From, To string
	Move     bool
	Versions bool                          // copy all versions of each file
	After    struct{ Name, Folder string } // of the file copied last
}

// copyFolder copies a folder into another.
func (l *Library) copyFolder(r *http.Request) (any, error) {
	job := folderJob{}
	return l.transferFolder(r, &job, jobCopy, member{"includeFileVersions", &job.Versions}, member{"includeVersions", &job.Versions})
}

// moveFolder moves a folder into another.
func (l *Library) moveFolder(r *http.Request) (any, error) {
	return l.transferFolder(r, &folderJob{Move: true}, jobMove)
}

func (l *Library) transferFolder(r *http.Request, job *folderJob, kind byte, options ...member) (any, error) {
	var from, into string
	_, err := readBody(r, 2, append([]member{{"sourceFolderPath", &from}, {"destinationPath", &into}}, options...)...)
	if err != nil {
		return nil, err
	}
	root := badRequest("Your request contains invalid sourceFolderPath parameter: it is the root folder.", "Name a folder in it.").because("SOURCE_IS_ROOT")
	if job.From, err = subfolder(from, root); err != nil {
		return nil, err
	}
	if job.To, err = cleanFolder(into); err != nil {
		return nil, err
	}
	job.To += path.Base(job.From) + "/"
	switch {
	case job.To == job.From:
		return nil, badRequest("The folder "+quote(from)+" is in "+quote(into)+" already.", "Choose another destinationPath.").because(samePlace)
	case strings.HasPrefix(job.To, job.From), strings.HasPrefix(job.From, job.To):
		return nil, badRequest("The folder "+quote(from)+" cannot be copied or moved into itself, or over a folder that contains it.", "Choose another destinationPath.").because("INVALID_DESTINATION_PATH")
	}
	return l.startFolderJob(job, l.newJob(kind, false))
}

// renameFolder renames a folder.
func (l *Library) renameFolder(r *http.Request) (any, error) {
	var from, name string
	var purge bool
	if _, err := readBody(r, 2, member{"folderPath", &from}, member{"newFolderName", &name}, member{"purgeCache", &purge}); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, badRequest("Your request is missing newFolderName parameter.", "Give the folder a name.").because(missingParameter)
	}
	job := folderJob{Move: true}
	var err error
	if job.From, err = subfolder(from, badRequest("folderPath cannot be root.", "Name a folder in it.")); err != nil {
		return nil, err
	}
	if name, err = folderName(name, true); err != nil {
		return nil, err
	}
	job.To = norm.NFC.String(path.Join(path.Dir(strings.TrimSuffix(job.From, "/")), name) + "/")
	err = l.records.View(r.Context(), func(tx store.Tx) error {
		if _, err := tx.Folders.At(job.From); errors.Is(err, store.ErrNotFound) {
			return refuse(http.StatusNotFound, "Source folder not found.", "Check folderPath.")
		} else if err != nil {
			return err
		}
		if _, err := tx.Folders.At(job.To); !errors.Is(err, store.ErrNotFound) {
			return cmp.Or(err, error(refuse(http.StatusConflict, "Folder with name "+quote(path.Base(job.To))+" already exists at the same location.", "Choose another name.")))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l.startFolderJob(&job, l.newJob(jobRename, purge))
}

// startFolderJob does a job in steps, each of which leaves the library consistent, and answers
// after the last one. The job is recorded from its first step, so that another instance or the next
// start can finish it.
func (l *Library) startFolderJob(job *folderJob, id string) (any, error) {
	done, err := l.stepOfJob(l.work.Context(), id, job)
	var down *store.DownError
	switch {
	case errors.As(err, &down): // the step may have been done; the client repeats the request
		l.work.Go(func() { l.work.ForgetJob(id) })
	case err == nil && !done:
		err = l.work.FinishJob(id)
	}
	if err != nil {
		return nil, err
	}
	return startedJob{id}, nil
}

// stepOfJob copies or moves the next files. Without a first step it reads the job from the records;
// a job that is missing or belongs to another instance counts as done.
func (l *Library) stepOfJob(ctx context.Context, id string, first *folderJob) (done bool, err error) {
	err = l.records.Update(ctx, func(tx store.Tx) error {
		done = true
		var job folderJob
		if first != nil {
			job = *first
		} else {
			kept, err := store.Get[store.Job](tx, id)
			if errors.Is(err, store.ErrNotFound) || err == nil && kept.Owner != l.identity {
				return nil
			}
			if err == nil {
				err = json.Unmarshal(kept.Body, &job)
			}
			if err != nil {
				return err
			}
		}
		if _, err := tx.Folders.At(job.From); errors.Is(err, store.ErrNotFound) {
			folder := quote(strings.TrimSuffix(job.From, "/"))
			return refuse(http.StatusNotFound, "No files & folder found at sourceFolderPath "+folder+".", "Check the path.").because("NO_FILES_FOLDER")
		} else if err != nil {
			return err
		}
		if first != nil {
			if err := cmp.Or(l.checkCount(tx, job.From), job.checkPaths(tx)); err != nil {
				return err
			}
		}
		entries, err := tx.Files.List(job.files(l.o.jobStep))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := l.transferOne(tx, &job, e.File); err != nil {
				return err
			}
		}
		if done = len(entries) < l.o.jobStep; done {
			return errors.Join(l.finishFolders(tx, &job), tx.Remove(&store.Job{ID: id}))
		}
		if last := entries[len(entries)-1].File; !job.Move {
			job.After.Name, job.After.Folder = last.Name, last.Folder
		}
		body, err := json.Marshal(job)
		if err != nil {
			return err
		}
		left := store.Job{ID: id, Owner: l.identity, Body: body}
		if first != nil {
			return tx.Add(&left)
		}
		return tx.Save(&left)
	})
	return done, err
}

// files returns the query for the next files below the folder. It does not skip a number of files,
// since others may come or go between the steps. A move leaves only files that are still to move.
func (job *folderJob) files(limit int) store.Query {
	below := store.Match{Subject: store.MatchFolder, Op: ":", Text: []string{job.From}}
	return store.Query{
		Files: true, Match: &below, Order: store.ByName, AfterName: job.After.Name, AfterFolder: job.After.Folder, Limit: limit,
	}
}

func (l *Library) transferOne(tx store.Tx, job *folderJob, file *store.File) error {
	folder, err := job.target(file.Folder)
	if err != nil {
		return err
	}
	existing, err := fileAt(tx, folder, file.Name)
	switch {
	case err != nil:
		return err
	case job.Move:
		return l.moveTo(tx, file, existing, folder)
	}
	return l.copyTo(tx, file, existing, folder, job.Versions)
}

// target returns the new path of a folder in job.From.
func (job *folderJob) target(folder string) (string, error) {
	return rule.CleanFolder(job.To + strings.TrimPrefix(folder, job.From))
}

// checkPaths checks the paths that the job would make, before its first step.
func (job *folderJob) checkPaths(tx store.Tx) error {
	paths, err := tx.Folders.LongestPaths(job.From)
	for _, path := range paths {
		cut := strings.LastIndexByte(path, '/') + 1
		folder, wrong := job.target(path[:cut])
		if wrong == nil {
			wrong = rule.CheckPath(folder + path[cut:])
		}
		if wrong != nil {
			return wrong
		}
	}
	return err
}

// finishFolders creates the folders that contain no files and deletes those that a move has
// emptied.
func (l *Library) finishFolders(tx store.Tx, job *folderJob) error {
	if err := tx.Folders.Make(job.To, l.now()); err != nil {
		return err
	}
	below := store.Match{Subject: store.MatchFolder, Op: ":", Text: []string{job.From}}
	entries, err := tx.Files.List(store.Query{Folders: true, Match: &below, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	for _, e := range entries {
		folder, err := job.target(e.Folder.Path)
		if err == nil {
			err = tx.Folders.Make(folder, l.now())
		}
		if err != nil {
			return err
		}
	}
	if job.Move {
		return tx.Folders.Delete(job.From)
	}
	return nil
}

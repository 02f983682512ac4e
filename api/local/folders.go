package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// makeFolder creates a folder with missing parents. An existing folder is no error.
func (l *Library) makeFolder(r *http.Request) (any, error) {
	var name, parent string
	if _, err := readBody(r, &name, &parent); err != nil {
		return nil, err
	}
	name, err := folderName("folderName", name, false)
	if err != nil {
		return nil, err
	}
	clean, err := cleanFolder(parent + "/" + name)
	if err != nil {
		return nil, err
	}
	return store.Update(r.Context(), l.records, func(tx store.Tx) (any, error) {
		if err := tx.Folders.Make(clean, l.now()); err != nil {
			return nil, err
		}
		folder, err := tx.Folders.At(clean)
		if err != nil {
			return nil, err
		}
		return folderRecord(folder), nil
	})
}

// cleanFolder returns rule.CleanFolder(path) in NFC, as stored.
func cleanFolder(path string) (string, error) {
	clean, err := rule.CleanFolder(path)
	if broken, ok := errors.AsType[*api.RuleError](err); ok {
		err = badRequest(broken.Message, broken.Help).because(invalidFolder)
	}
	return norm.NFC.String(clean), err
}

// subfolder is like cleanFolder but returns the error root for the root folder.
func subfolder(path string, root error) (string, error) {
	clean, err := cleanFolder(path)
	if err == nil && clean == "/" {
		err = root
	}
	return clean, err
}

// folderName returns rule.FolderName of the member of a body, except for a step in a path.
func folderName(member, name string, renamed bool) (string, error) {
	switch name {
	case "":
		return "", badRequest("Your request is missing "+member+" parameter.", "Give the folder a name.").because(missingParameter)
	case ".", "..":
		return "", badRequest("A folder cannot have the name "+quote(name)+".",
			"It is a step in a path. Give the folder another name.").because(invalidFolder)
	}
	return rule.FolderName(name, renamed), nil
}

func below(folder string) *store.Match {
	return &store.Match{Subject: store.MatchFolder, Op: ":", Values: []any{folder}}
}

func (l *Library) checkCount(tx store.Tx, folder string) error {
	beyond, err := tx.Files.List(store.Query{
		Files: true, Folders: true, Match: below(folder), Limit: 1, Skip: l.o.objects,
	})
	if err == nil && len(beyond) > 0 {
		err = badRequest("The folder "+quote(folder)+" has more than "+strconv.Itoa(l.o.objects)+" files and folders.", "Repeat the operation for each of its folders.").because("TOO_MANY_OBJECTS")
	}
	return err
}

func (l *Library) deleteFolder(r *http.Request) (any, error) {
	var path string
	if _, err := readBody(r, &path); err != nil {
		return nil, err
	}
	clean, err := subfolder(path, invalid("folderPath", "it is the root folder", "Name a folder in it."))
	if err != nil {
		return nil, err
	}
	err = l.records.Update(r.Context(), func(tx store.Tx) error {
		if err := l.checkCount(tx, clean); err != nil {
			return err
		}
		return tx.Folders.Delete(clean)
	})
	none := refuse(http.StatusNotFound, "No folder found with folderPath "+quote(path)+".", "Check the path.").because("FOLDER_NOT_FOUND")
	return nil, store.Replaced(err, store.ErrNotFound, none)
}

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

// transferFolder starts a job of the kind jobCopy or jobMove.
func (l *Library) transferFolder(r *http.Request, kind string) (any, error) {
	var from, into string
	job := &folderJob{Move: kind == jobMove}
	_, err := readBody(r, &from, &into, &job.Versions, &job.Versions)
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
	return l.startFolderJob(job, newJob(kind))
}

func (l *Library) renameFolder(r *http.Request) (any, error) {
	var from, name string
	var purge bool
	if _, err := readBody(r, &from, &name, &purge); err != nil {
		return nil, err
	}
	name, err := folderName("newFolderName", name, true)
	if err != nil {
		return nil, err
	}
	job := folderJob{Move: true}
	if job.From, err = subfolder(from, badRequest("folderPath cannot be root.", "Name a folder in it.")); err != nil {
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
	kind := jobRename
	if purge {
		kind = jobRenamePurging
	}
	return l.startFolderJob(&job, newJob(kind))
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
	return map[string]string{"jobId": id}, nil
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
			retained, err := store.Get[store.Job](tx, id)
			if errors.Is(err, store.ErrNotFound) || err == nil && retained.Owner != l.identity {
				return nil
			}
			if err == nil {
				err = json.Unmarshal(retained.Body, &job)
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
			if err := l.checkCount(tx, job.From); err != nil {
				return err
			}
		}
		// It does not skip a number of files, since others may come or go between the steps. A move leaves
		// only files that are still to move.
		entries, err := tx.Files.List(store.Query{
			Files: true, Match: below(job.From), Order: store.ByName, Limit: l.o.jobStep,
			AfterName: job.After.Name, AfterFolder: job.After.Folder,
		})
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
		left := store.Job{ID: id, Owner: l.identity, Body: encode(job)}
		if first != nil {
			return tx.Add(&left)
		}
		return tx.Save(&left)
	})
	return done, err
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

func (job *folderJob) target(folder string) (string, error) {
	return rule.CleanFolder(job.To + strings.TrimPrefix(folder, job.From))
}

// finishFolders creates the folders that contain no files and deletes those that a move emptied.
func (l *Library) finishFolders(tx store.Tx, job *folderJob) error {
	if err := tx.Folders.Make(job.To, l.now()); err != nil {
		return err
	}
	entries, err := tx.Files.List(store.Query{Folders: true, Match: below(job.From), Limit: math.MaxInt32})
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

// Kinds of jobs, with which their ids begin. Other ids begin with the time.
const (
	jobPurge         = "6a0"
	jobCopy          = "6a1"
	jobMove          = "6a2"
	jobRename        = "6a3"
	jobRenamePurging = "6a4" // the cache was to be purged, too
)

var jobKinds = map[string]string{
	jobCopy: "COPY_FOLDER", jobMove: "MOVE_FOLDER", jobRename: "RENAME_FOLDER", jobRenamePurging: "RENAME_FOLDER",
}

// newJob returns the id of a job. A job without a record is done, so any instance can tell its status
// from the id.
func newJob(kind string) string { return kind + store.NewID()[len(kind):] }

func (l *Library) jobStatus(r *http.Request) (any, error) {
	id := r.PathValue("jobId")
	kind := jobKinds[id[:min(len(jobPurge), len(id))]]
	if kind == "" || !store.IsID(id) {
		return nil, refuse(http.StatusNotFound, "The requested job does not exist.", "Check the id of the job.")
	}
	status := map[string]string{"jobId": id, "type": kind, "status": api.JobCompleted}
	_, err := store.View(r.Context(), l.records,
		func(tx store.Tx) (*store.Job, error) { return store.Get[store.Job](tx, id) })
	if err == nil {
		status["status"] = api.JobPending
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if rest, ok := strings.CutPrefix(id, jobRenamePurging); ok {
		status["purgeRequestId"] = jobPurge + rest
	}
	return status, nil
}

// purge accepts a request to purge a cache. Caches here always revalidate, so it does nothing.
func (l *Library) purge(r *http.Request) (any, error) {
	var address string
	if _, err := readBody(r, &address); err != nil {
		return nil, err
	}
	return map[string]string{"requestId": newJob(jobPurge)}, rule.CheckPurgeURL(address)
}

func (l *Library) purgeStatus(r *http.Request) (any, error) {
	if id := r.PathValue("requestId"); !strings.HasPrefix(id, jobPurge) || !store.IsID(id) {
		return nil, badRequest("No request found for this requestId.", "Check the id.")
	}
	return map[string]string{"status": api.JobCompleted}, nil
}

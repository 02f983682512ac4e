package local

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// jobStep is how many files are copied or moved in one transaction. A smaller job
// happens completely or not at all.
const jobStep = 1000

// folderJob copies or moves a folder with everything in it. Both folders are
// as api.CleanFolder writes them; to is the place of the folder itself.
type folderJob struct {
	from, to string
	move     bool
	versions bool // of each file, where it is copied
}

// copyFolder copies a folder into another.
func (l *Library) copyFolder(r *http.Request) (any, error) {
	job := folderJob{}
	return l.transferFolder(r, &job, jobCopy, member{"includeFileVersions", &job.versions}, member{"includeVersions", &job.versions})
}

// moveFolder moves a folder into another.
func (l *Library) moveFolder(r *http.Request) (any, error) {
	return l.transferFolder(r, &folderJob{move: true}, jobMove)
}

func (l *Library) transferFolder(r *http.Request, job *folderJob, kind jobKind, options ...member) (any, error) {
	var from, into string
	err := readBody(r, 2, append([]member{{"sourceFolderPath", &from}, {"destinationPath", &into}}, options...)...)
	if err != nil {
		return nil, err
	}
	if job.from, err = subfolder("sourceFolderPath", from); err != nil {
		return nil, err
	}
	if job.to, err = cleanFolder(into); err != nil {
		return nil, err
	}
	job.to += path.Base(job.from) + "/"
	if strings.HasPrefix(job.to, job.from) || strings.HasPrefix(job.from, job.to) {
		return nil, badRequest("The folder "+quote(from)+" cannot be copied or moved into itself, to its present path, or over a folder that contains it.", "Choose another destinationPath.")
	}
	if err := l.runFolderJob(l.ctx, job); err != nil {
		return nil, err
	}
	return map[string]string{"jobId": l.jobs.add(kind)}, nil
}

// renaming is the answer to the renaming of a folder.
type renaming struct {
	JobID          string `json:"jobId"`
	PurgeRequestID string `json:"purgeRequestId,omitempty"`
}

// renameFolder renames a folder.
func (l *Library) renameFolder(r *http.Request) (any, error) {
	var from, name string
	var purge bool
	if err := readBody(r, 2, member{"folderPath", &from}, member{"newFolderName", &name}, member{"purgeCache", &purge}); err != nil {
		return nil, err
	}
	if strings.Trim(name, "/") == "" || strings.Contains(name, "/") {
		return nil, badRequest("Your request contains invalid newFolderName parameter: "+quote(name)+" is not a folder name.", "Give a name without slashes.")
	}
	job := folderJob{move: true}
	var err error
	if job.from, err = subfolder("folderPath", from); err != nil {
		return nil, err
	}
	job.to = norm.NFC.String(path.Join(path.Dir(strings.TrimSuffix(job.from, "/")), folderName(name)) + "/")
	err = l.records.View(r.Context(), func(tx store.Tx) error {
		if _, err := tx.FolderAt(job.from); err != nil {
			return noFolder(from, err)
		}
		_, err := tx.FolderAt(job.to)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err == nil:
			return refuse(http.StatusConflict, "Folder with name "+quote(path.Base(job.to))+" already exists at the same location.", "Choose another name.").because("FOLDER_ALREADY_EXISTS")
		}
		return err
	})
	if err == nil {
		err = l.runFolderJob(l.ctx, &job)
	}
	if err != nil {
		return nil, err
	}
	answer := renaming{JobID: l.jobs.add(jobRename)}
	if purge {
		answer.PurgeRequestID = l.jobs.add(jobPurge)
	}
	return answer, nil
}

func noFolder(folder string, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return refuse(http.StatusNotFound, "No files & folder found at sourceFolderPath "+quote(folder)+".", "Check the path.").because("NO_FILES_FOLDER")
}

// runFolderJob does the job in steps, each of which leaves the library consistent. To
// go on with an interrupted job, ask for it again.
func (l *Library) runFolderJob(ctx context.Context, job *folderJob) error {
	for done, skip := false, 0; !done; skip += jobStep {
		err := l.records.Update(ctx, func(tx store.Tx) error {
			if _, err := tx.FolderAt(job.from); err != nil {
				return noFolder(strings.TrimSuffix(job.from, "/"), err)
			}
			from := skip
			if job.move {
				from = 0 // those before are gone
			}
			entries, err := tx.List(job.query(true, from))
			if err != nil {
				return err
			}
			for _, e := range entries {
				if err := l.transferOne(tx, job, e.File); err != nil {
					return err
				}
			}
			if done = len(entries) < jobStep; !done {
				return nil
			}
			return l.finishFolders(tx, job)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// query finds the next files in the folder and below, or the folders below.
func (job *folderJob) query(files bool, skip int) store.Query {
	below := store.Match{Subject: store.MatchFolder, Op: ":", Text: []string{job.from}}
	return store.Query{Files: files, Folders: !files, Match: &below, Order: store.ByName, Limit: jobStep, Skip: skip}
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
	case job.move:
		return l.moveTo(tx, file, existing, folder)
	}
	return l.copyTo(tx, file, existing, folder, job.versions)
}

// target is where a folder in job.from goes.
func (job *folderJob) target(folder string) (string, error) {
	return api.CleanFolder(job.to + strings.TrimPrefix(folder, job.from))
}

// finishFolders makes the folders that hold no files, and deletes the folders that a
// move has emptied.
func (l *Library) finishFolders(tx store.Tx, job *folderJob) error {
	if err := tx.MakeFolder(job.to, l.now()); err != nil {
		return err
	}
	for skip := 0; ; skip += jobStep {
		entries, err := tx.List(job.query(false, skip))
		if err != nil {
			return err
		}
		for _, e := range entries {
			folder, err := job.target(e.Folder.Path)
			if err == nil {
				err = tx.MakeFolder(folder, l.now())
			}
			if err != nil {
				return err
			}
		}
		if len(entries) < jobStep {
			break
		}
	}
	if job.move {
		return tx.DeleteFolder(job.from)
	}
	return nil
}

// Package job defines the words that queue, journal and watch share: a job, which is one upload
// from waiting to its outcome; a run, which is one extension on one file; and the webhooks that
// report how a run ended.
package job

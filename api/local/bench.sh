#!/bin/sh
# Measures the library against others in the same run and prints the ratios:
#   uploads  pictures of 20 kB at 1 to 32 connections, against the same with one
#            transaction for each, against a server that does only what must be
#            done (so much is possible here), and create+write+fdatasync; with
#            the processor time of each
#   engines  PostgreSQL and an S3 store against SQLite and a folder: uploads at 8
#            connections, a page of 50 beside them and as much computing alone
#   instances  one, two and four instances on PostgreSQL and an S3 store, and what
#            docs/scale_test.go calculates with
#   large    300 MB by curl, against a server that only writes the bytes; memory
#   million  listing, searching, uploading and PATCH at 1,000,000 files against
#            1,000, in SQLite and in PostgreSQL; pages beside uploads at full
#            speed, and as much computing without a library (makes 3 GB of
#            records, takes minutes; MEDIADESK_BENCH_KEPT=DIR keeps those of
#            SQLite for the next time)
#   cutout   remove-bg of 2 and 12 megapixels, and the second against the flood
#            fill of ImageMagick (ours/its: our share of its time)
# Usage: bench.sh [uploads] [engines] [instances] [large] [million] [cutout]; all without an argument. The
# folder is made in TMPDIR: let that be on the disk which is to be measured.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- uploads engines instances large million cutout
MEDIADESK_BENCH=$(IFS=,; echo "$*") go test -count=1 -timeout 60m -v -run '^TestRatios$' . | sed -n '/measured only/d; s/^ *[a-z]*_test.go:[0-9]*: //p'
case " $* " in
*" cutout "*) go test -run '^$' -bench RemoveBackground -benchtime 3x ./extension | grep -E '^Bench|FAIL' ;;
esac

#!/bin/sh
# variant: sqlite-utils, lines | lines
# variant: sqlite-utils, array | array
# needs: python sqlite_utils
# winner: last
# remark: no checks; the last record wins, not the newest; a bad record ends it
# sqlite-utils inserts with a primary key, replacing, and extracts the category.
set -eu
case $1 in
*.ndjson) form=--nl ;;
*) form= ;;
esac
utility=$BENCH_PYTHON_FOLDER/sqlite-utils
# The write-ahead log is its fastest journal: it commits each of its batches.
"$utility" create-database "$2" --enable-wal
"$utility" insert "$2" poi "$1" $form --pk identifier --replace --flatten --batch-size 1000
"$utility" extract "$2" poi category_name --table category --fk-column category \
  --rename category_name name

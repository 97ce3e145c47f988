#!/bin/sh
# variant: jq and .import, array | array
# variant: jq and .import, lines | lines
# needs: program jq
# needs: program sqlite3
# remark: no checks; no journal, no sync; an array is held in memory; a bad record ends it
# jq writes CSV, the shell of SQLite imports it through a pipe.
set -eu
support=$(dirname "$0")/support
case $1 in
*.ndjson) records='' ;;
*) records='.[] | ' ;;
esac
jq -r "$records[.identifier, .name, .address, .city, .country, .information, .latitude, .longitude,
  .updatedAt, .category.name] | @csv" "$1" | sqlite3 -bail "$2" \
  'PRAGMA journal_mode = OFF' 'PRAGMA synchronous = OFF' 'PRAGMA cache_size = -65536' \
  'CREATE TEMP TABLE raw (identifier TEXT, name TEXT, address TEXT, city TEXT, country TEXT,
    information TEXT, latitude REAL, longitude REAL, updatedAt TEXT, category TEXT)' \
  '.import --csv --schema temp /dev/stdin raw' \
  'BEGIN' ".read $support/newest.sql" 'COMMIT' >/dev/null

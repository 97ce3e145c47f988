#!/bin/sh
# variant: sqlite3 shell | array
# needs: program sqlite3
# remark: no checks; no journal, no sync; the whole file in memory, at most 1 GB; a bad record ends it
# The shell reads the file with readfile() and splits it with json_each().
set -eu
support=$(dirname "$0")/support
sqlite3 -bail "$2" >/dev/null <<END
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -65536;
PRAGMA temp_store = FILE;
BEGIN;
CREATE TEMP TABLE raw AS
  SELECT value ->> 'identifier' AS identifier, value ->> 'name' AS name,
    value ->> 'address' AS address, value ->> 'city' AS city, value ->> 'country' AS country,
    value ->> 'information' AS information, value ->> 'latitude' AS latitude,
    value ->> 'longitude' AS longitude, value ->> 'updatedAt' AS updatedAt,
    value ->> '\$.category.name' AS category
  FROM json_each(readfile('$1'));
.read $support/newest.sql
COMMIT;
END

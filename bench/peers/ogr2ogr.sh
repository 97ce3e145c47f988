#!/bin/sh
# variant: ogr2ogr and SQL | geojson
# needs: program ogr2ogr
# needs: program sqlite3
# remark: no checks; no journal, no sync; no relation; duplicates by an SQL statement afterwards
# ogr2ogr makes a GeoPackage from GeoJSON; SQL removes all but the newest.
set -eu
export OGR_SQLITE_SYNCHRONOUS=OFF OGR_SQLITE_JOURNAL=OFF OGR_SQLITE_CACHE=64
ogr2ogr -q -f GPKG "$2" "$1" -nln poi -gt unlimited -lco SPATIAL_INDEX=NO \
  -oo FLATTEN_NESTED_ATTRIBUTES=YES
# A GeoPackage counts its features by triggers; without them each delete is a plain one.
sqlite3 -bail "$2" >/dev/null <<'END'
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
BEGIN;
DROP TRIGGER IF EXISTS trigger_delete_feature_count_poi;
DELETE FROM poi WHERE fid IN (
  SELECT fid FROM (
    SELECT fid, row_number() OVER (PARTITION BY identifier ORDER BY updatedAt DESC) AS place
    FROM poi)
  WHERE place > 1);
CREATE UNIQUE INDEX poi_identifier ON poi (identifier);
COMMIT;
END

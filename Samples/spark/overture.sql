-- The view `lines` for winners.sql: places as Overture Maps publishes them, in Parquet.
-- Their model is Samples/models/overture-places.json.
--
-- IN  a folder, file or pattern, such as 's3a://overturemaps-us-west-2/release/2026-10-21.0/theme=places/type=place'

SET TIME ZONE 'UTC';

-- The number at a place, from 0, of well-known binary in little-endian order: an IEEE 754 number of 64 bits.
CREATE TEMPORARY FUNCTION wkb_number(wkb BINARY, place INT) RETURNS DOUBLE
RETURN SELECT if(conv(substr(digits, 1, 1), 16, 10) >= 8, -1, 1)
    * (mantissa + if(exponent = 0, 0, 4503599627370496)) * pow(2D, greatest(exponent, 1) - 1075)
  FROM (
    SELECT digits, CAST(conv(substr(digits, 1, 3), 16, 10) AS INT) % 2048 AS exponent,
      CAST(conv(substr(digits, 4), 16, 10) AS BIGINT) AS mantissa
    FROM (
      SELECT array_join(reverse(regexp_extract_all(hex(substr(wkb, place + 1, 8)), '..', 0)), '') AS digits));

-- A geometry that is not a point has no coordinates, so its record is rejected.
CREATE TEMPORARY VIEW lines AS
SELECT to_json(struct(
    * EXCEPT (geometry, bbox, isPoint),
    if(isPoint, wkb_number(geometry, 5), NULL) AS longitude,
    if(isPoint, wkb_number(geometry, 13), NULL) AS latitude)) AS value
FROM (
  SELECT *, geometry IS NOT NULL AND length(geometry) = 21 AND startswith(hex(geometry), '0101000000') AS isPoint
  FROM parquet.`${IN}`);

-- The view `lines` for winners.sql: newline-delimited JSON, plain or as .gz, .bz2 or .zst.
--
-- IN  a folder, file or pattern, such as 's3a://bucket/places/*.ndjson.gz'

CREATE TEMPORARY VIEW lines AS
SELECT CASE
    -- Spark would read the compressed bytes as lines.
    WHEN _metadata.file_name RLIKE '(?i)[.](xz|lz4|zip|7z|br|Z)$' THEN
      raise_error(concat(_metadata.file_path, ': Spark cannot decompress it; use .gz, .bz2 or .zst'))
    -- A line that is not UTF-8 is sent as its bytes, because Spark would change it.
    WHEN is_valid_utf8(value) AND NOT startswith(value, '\u0001') THEN value
    ELSE concat('\u0001', hex(value))
  END AS value
FROM text.`${IN}`;

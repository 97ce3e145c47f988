-- The view `lines` for winners.sql: each row of Parquet or ORC files as a JSON object.
--
-- IN      a folder, file or pattern
-- FORMAT  parquet or orc

SET TIME ZONE 'UTC';

-- The formats keep microseconds. Columns that are NULL are left out; add 'ignoreNullFields', 'false' to keep them.
-- Binary columns become base64. To leave out columns, write `* EXCEPT (a, b)`.
CREATE TEMPORARY VIEW lines AS
SELECT to_json(struct(*), map(
    'timestampFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSSXXX',
    'timestampNTZFormat', 'yyyy-MM-dd\'T\'HH:mm:ss.SSSSSS')) AS value
FROM ${FORMAT}.`${IN}`;

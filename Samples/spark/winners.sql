-- The newest record of each key, by the rule of poi-dedup, on Apache Spark 4.
--
-- spark-sql --conf spark.sql.catalogImplementation=in-memory --files poi-import,model.json -d MODEL=model.json \
--     -d IN='lines/*.ndjson' -d OUT=/lake/result -d SHARDS=4 -d PART=shard -i text.sql -f winners.sql
--
-- IN      what text.sql, parquet.sql or overture.sql reads: it makes the view `lines`, one JSON record in each `value`
-- OUT     a folder that does not exist yet
-- SHARDS  the number of shards
-- PART    what the winners are split by: `shard`, or an expression such as "get_json_object(record, '$.country')"
-- MODEL   a model file, which --files carries to each machine
--
-- OUT/winners/part=… has the winners as lines, OUT/ranked as Parquet. OUT/summary is written last: without it the run
-- is not complete. Its `digest` is the digest of the winners together, as `poi-dedup --digest` prints it for one store.

-- Fails at once where poi-import does not run.
SELECT line FROM (SELECT TRANSFORM('') USING 'cat > /dev/null; ./poi-import --version' AS (line STRING));

-- poi-import judges each line. The result is kept, because what follows reads it several times. A table with a
-- LOCATION is refused if the folder holds something.
CREATE TABLE emitted USING parquet PARTITIONED BY (kind) LOCATION '${OUT}/emitted' AS
SELECT a AS key, b AS timestamp, c AS tombstone, d AS digest, e AS shard, f AS record, kind
FROM (
  SELECT TRANSFORM(value)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
    USING './poi-import --emit --shards ${SHARDS} --model ${MODEL}'
    AS (kind STRING, a STRING, b STRING, c STRING, d STRING, e STRING, f STRING)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t'
  FROM lines);

-- The last line of each poi-import has its sums. One that died early, or whose output was lost, is missed here.
CREATE TEMPORARY VIEW sums AS
SELECT coalesce(sum(CAST(key AS BIGINT)), 0) AS lines, coalesce(sum(CAST(tombstone AS BIGINT)), 0) AS records,
  coalesce(sum(CAST(digest AS BIGINT)), 0) AS keyless, coalesce(sum(CAST(shard AS BIGINT)), 0) AS rejects
FROM emitted WHERE kind = 'end';

CREATE TEMPORARY VIEW counts AS
SELECT count_if(kind = 'record') AS records, count_if(kind = 'keyless') AS keyless,
  count_if(kind = 'reject') AS rejects,
  count_if(kind NOT IN ('record', 'keyless', 'reject', 'end')) AS unknown
FROM emitted;

SELECT assert_true(
  s.lines = (SELECT count(*) FROM lines) AND s.records = c.records AND s.keyless = c.keyless
    AND s.rejects = c.rejects AND c.unknown = 0,
  'lines were lost between Spark and poi-import')
FROM sums AS s CROSS JOIN counts AS c;

-- The greatest timestamp, then a removal, then the greatest digest. A missing timestamp is the lowest. Records
-- without a key have no group.
CREATE TABLE ranked USING parquet LOCATION '${OUT}/ranked' AS
SELECT key, nullif(winner.timestamp, -9223372036854775808) AS timestamp, winner.tombstone, winner.digest, shard,
  winner.record
FROM (
  SELECT key, shard, max(struct(
      coalesce(CAST(timestamp AS BIGINT), -9223372036854775808) AS timestamp, tombstone, digest, record)) AS winner
  FROM emitted WHERE kind = 'record' GROUP BY key, shard)
UNION ALL
SELECT key, CAST(timestamp AS BIGINT), tombstone, digest, shard, record FROM emitted WHERE kind = 'keyless';

CREATE TABLE winners USING text PARTITIONED BY (part) LOCATION '${OUT}/winners' AS
SELECT record AS value, ${PART} AS part FROM ranked;

-- Digests are numbers of 128 bits, added as two halves.
CREATE TEMPORARY VIEW digests AS
SELECT part, records, lower(concat(
  lpad(conv(CAST((high + low div 18446744073709551616) % 18446744073709551616 AS STRING), 10, 16), 16, '0'),
  lpad(conv(CAST(low % 18446744073709551616 AS STRING), 10, 16), 16, '0'))) AS digest
FROM (
  SELECT part, count(*) AS records,
    sum(CAST(conv(substr(digest, 1, 16), 16, 10) AS DECIMAL(20, 0))) AS high,
    sum(CAST(conv(substr(digest, 17, 16), 16, 10) AS DECIMAL(20, 0))) AS low
  FROM (
    SELECT 'ends' AS part, record AS digest FROM emitted WHERE kind = 'end'
    UNION ALL SELECT 'records', digest FROM emitted WHERE kind IN ('record', 'keyless')
    UNION ALL SELECT 'winners', digest FROM ranked
    UNION ALL SELECT explode(array('ends', 'records', 'winners')), repeat('0', 32))
  GROUP BY part);

SELECT assert_true(count(DISTINCT digest) = 1, 'records were changed between poi-import and Spark')
FROM digests WHERE part IN ('ends', 'records');

CREATE TABLE summary USING json LOCATION '${OUT}/summary' AS
SELECT s.lines, c.records, c.keyless, c.rejects, w.records - 1 AS winners, w.digest
FROM sums AS s CROSS JOIN counts AS c CROSS JOIN (SELECT * FROM digests WHERE part = 'winners') AS w;

SELECT * FROM summary;

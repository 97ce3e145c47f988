import Glibc
import POITestSupport
import Testing

private enum Spark {
  static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  static let isInstalled = unsafe access("\(root)/.build/spark/bin/spark-sql", X_OK) == 0
}

/// `Samples/spark` on Apache Spark.
@Suite(.enabled(if: Spark.isInstalled, "Spark is not in .build/spark"))
struct SparkTests {
  /// A folder with the operator and the built-in model. `job OUT` finds the winners of `lines*`, or of what the
  /// arguments after OUT name, and keeps the messages in `log`.
  private func makeFolder() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(
      #"""
      export PATH="$ROOT/.build/spark/bin:$PATH" SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS="$PWD/work"
      export SPARK_HOME=$(python3 -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
      MASTER='local-cluster[2,1,1024]' MODEL=model.json OPERATOR=poi-import
      LINES=text.sql IN="$PWD/lines*" PART=shard
      cp "$ROOT"/Samples/spark/*.sql .; ln -s "$IMPORT" poi-import; "$IMPORT" --print-model poi > model.json
      job() {
        spark-sql --master "$MASTER" --conf spark.ui.enabled=false \
          --conf spark.sql.catalogImplementation=in-memory --conf spark.executor.memory=512m \
          --conf spark.executor.cores=1 --files "$OPERATOR,$MODEL" -d IN="$IN" -d OUT="$PWD/$1" \
          -d FORMAT=parquet -d SHARDS=3 -d PART="$PART" -d MODEL="$MODEL" -i "$LINES" \
          -f winners.sql > log 2>&1
      }
      one_store() {
        rm -f one.sqlite; "$IMPORT" -q -m "$MODEL" -s one.sqlite "$@"
        "$DEDUP" -q -s one.sqlite; "$DEDUP" --digest -s one.sqlite
      }
      """#, to: "job.sh")
    return folder
  }

  private func run(_ lines: String, in folder: borrowing ScratchFolder) throws -> Tool.Outcome {
    try Tool.shell(
      "ROOT=$1 IMPORT=$2 DEDUP=$3\n. ./job.sh\n" + lines,
      [Spark.root, Tool("poi-import").path, Tool("poi-dedup").path], in: folder.path)
  }

  @Test func `the winners have the digest of one store`() throws {
    let folder = try makeFolder()
    let outcome = try run(
      #"""
      split -n l/3 "$ROOT/Samples/pois.ndjson" lines
      job out; echo "$?"; cat out/summary/*.json; cat out/winners/part=*/*.txt > winners
      one_store winners; one_store "$ROOT/Samples/pois.ndjson"
      job out; test "$?" = 0 || echo refused
      """#, in: folder)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 5, "\(outcome)")
    #expect(lines[0] == "0" && lines[2] == lines[3] && lines[4] == "refused", "\(outcome)")
    let digest = lines[2].split(separator: " ")[1]
    #expect(
      lines[1].hasSuffix(
        #""records":2978,"keyless":0,"rejects":79,"winners":2600,"digest":"\#(digest)"}"#),
      "\(outcome)")
  }

  @Test(
    .enabled(if: TestLength.isLong),
    arguments: [
      "exit 0", "head -n 20 | \"$IMPORT\" --emit --shards 3", "exec 1>&-; cat > /dev/null",
      "kill -9 $$",
    ])
  func `an operator that loses lines fails the job`(operation: String) throws {
    let folder = try makeFolder()
    let outcome = try run(
      """
      head -n 200 "$ROOT/Samples/pois.ndjson" > lines; mkdir bad; OPERATOR=bad/poi-import
      printf '#!/bin/sh\\n[ "$1" = --version ] && exec %s --version\\nIMPORT=%s\\n%s\\n' \
        "$IMPORT" "$IMPORT" '\(operation)' > bad/poi-import; chmod +x bad/poi-import
      job out; test "$?" = 0 || echo failed; ls out | grep -c summary
      """, in: folder)
    #expect(outcome.output == "failed\n0\n", "\(outcome)")
  }

  @Test(.enabled(if: TestLength.isLong))
  func `an executor and an operator that are killed change nothing`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let folder = try makeFolder()
    try folder.write(RandomRecords.model, to: "model.json")
    try folder.write(RandomRecords.lines(5_000, keys: 900, seed: seed), to: "lines")
    let outcome = try run(
      #"""
      start() { spark-class "org.apache.spark.deploy.$@" --host 127.0.0.1 --webui-port 0 > "$log" 2>&1 & }
      log=master; start master.Master --port 0; master=$!
      until MASTER=$(grep -o 'spark://127.*' master); do sleep 0.1; done
      log=worker1; start worker.Worker "$MASTER" -c 1 -m 1g -d work; first=$!
      log=worker2; start worker.Worker "$MASTER" -c 1 -m 1g -d work; second=$!
      trap 'kill $master $first $second 2> /dev/null; wait' EXIT
      mkdir once; OPERATOR=once/poi-import
      printf '#!/bin/sh\ncase $1 in --version) exec %s --version; esac\nif mkdir %s/begun 2> /dev/null; then
        head -n 9 | %s "$@"; kill -9 $$; fi; exec %s "$@"\n' "$IMPORT" "$PWD" "$IMPORT" "$IMPORT" > once/poi-import
      chmod +x once/poi-import; split -n l/4 lines part; mkdir in; mv part* in; IN="$PWD/in"
      job out & job=$!
      until [ -e out/emitted/_SUCCESS ] || ! kill -0 $job 2> /dev/null; do sleep 0.05; done
      pkill -9 -P $first; wait $job; echo "$?"
      ls -d begun; grep -c 'Lost executor' log | sed 's/^[1-9].*/lost/'; grep -o 'digest.*' out/summary/*.json
      one_store lines
      """#, in: folder)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 5, "seed \(seed): \(outcome)")
    #expect(lines[..<3] == ["0", "begun", "lost"], "seed \(seed): \(outcome)")
    let digest = lines[4].split(separator: " ")[1]
    #expect(lines[3] == #"digest":"\#(digest)"}"#, "seed \(seed): \(outcome)")
  }

  @Test(.enabled(if: TestLength.isLong), arguments: ["parquet", "orc"])
  func `rows of Parquet and ORC are the same records as lines`(format: String) throws {
    let folder = try makeFolder()
    try folder.write(
      #"""
      CREATE TABLE rows USING \#(format) LOCATION '${IN}' AS
      SELECT 'a' AS id, TIMESTAMP '2024-01-02 03:04:05.123456+02:00' AS at,
        TIMESTAMP_NTZ '2024-01-02 03:04:05.000001' AS local, DATE '1969-07-20' AS day,
        CAST(1.10 AS DECIMAL(12, 4)) AS price, 9007199254740993L AS count, true AS open, 1e300D AS large,
        named_struct('tags', array('x', NULL), 'none', CAST(NULL AS STRING)) AS more, X'0102' AS bytes
      UNION ALL SELECT 'b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL;
      """#, to: "make.sql")
    try folder.write(
      #"{"x-table":"t","x-key":"id","x-timestamp":"at","properties":{"id":{"type":"string"},"#
        + #""at":{"type":"string","format":"date-time"},"#
        + #""local":{"type":"string","format":"date-time","x-zone":"UTC"},"#
        + #""day":{"type":"string","format":"date"},"price":{"type":"number"},"count":{"type":"integer"},"#
        + #""open":{"type":"boolean"},"large":{"type":"number"},"more":{"type":"object"},"#
        + #""bytes":{"type":"string"}}}"#, to: "model.json")
    try folder.write(
      #"{"id":"a","at":"2024-01-02T01:04:05.123456Z","local":"2024-01-02T03:04:05.000001Z","#
        + #""day":"1969-07-20","price":1.1,"count":9007199254740993,"open":true,"large":1e300,"#
        + #""more":{"tags":["x",null]},"bytes":"AQI="}"# + "\n" + #"{"id":"b"}"#, to: "records")
    let outcome = try run(
      #"""
      cat make.sql parquet.sql > both.sql; sed -i 's/-d FORMAT=parquet/-d FORMAT=\#(format)/' job.sh; . ./job.sh
      MASTER='local[1]' LINES=both.sql IN="$PWD/rows"
      job out; echo "$?"; grep -o 'digest.*' out/summary/*.json; one_store records
      """#, in: folder)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 3 && lines[0] == "0", "\(outcome)")
    #expect(lines[1] == #"digest":"\#(lines[2].split(separator: " ")[1])"}"#, "\(outcome)")
  }

  @Test(.enabled(if: TestLength.isLong))
  func `places of Overture Maps go from a lake to a store`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix64(seed: seed)
    let edges: [Double] = [
      0, -180, 90, .leastNonzeroMagnitude, -.leastNormalMagnitude / 3, .leastNormalMagnitude,
      -1e-10,
    ]
    let coordinates =
      edges.map { ($0, $0 / 2) }
      + (0..<200).map { _ in
        (Double.random(in: -180...180, using: &generator), .random(in: -90...90, using: &generator))
      }
    func hex(_ number: Double) -> String {
      (0..<8).map { byte in
        let value = UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt64(byte)))
        return (value < 16 ? "0" : "") + String(value, radix: 16)
      }.joined()
    }
    let rows = coordinates.enumerated().map { index, place in
      "('\(index)', X'0101000000\(hex(place.0))\(hex(place.1))', '\(index % 2 == 0 ? "CH" : "IS")')"
    }
    let folder = try makeFolder()
    try folder.write(
      """
      CREATE TABLE places USING parquet LOCATION '${IN}' AS
      SELECT id, geometry, named_struct('xmin', 0F) AS bbox, named_struct('primary', 'Café') AS names,
        named_struct('primary', 'cafe') AS taxonomy,
        array(named_struct('country', country)) AS addresses,
        array(named_struct('update_time', '2025-02-24T08:00:00.000Z')) AS sources
      FROM (VALUES \(rows.joined(separator: ",\n")), ('line', X'0102000000', 'CH') AS (id, geometry, country));
      """, to: "make.sql")
    let outcome = try run(
      #"""
      cp "$ROOT/Samples/models/overture-places.json" model.json; cat make.sql overture.sql > both.sql
      MASTER='local[1]' LINES=both.sql IN="$PWD/rows" PART="get_json_object(record, '\$.addresses[0].country')"
      job out; echo "$?"; grep -o '"rejects.*' out/summary/*.json
      cat out/winners/part=CH/*.txt | wc -l; one_store out/winners/part=*/*.txt
      sqlite3 one.sqlite 'SELECT hex(id), longitude, latitude FROM place WHERE category = "cafe"' | wc -l
      "${IMPORT%import}export" -q -s one.sqlite | tr -d '[]'
      """#, in: folder)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 5 + coordinates.count, "seed \(seed): \(outcome)")
    let digest = lines[3].split(separator: " ")[1]
    #expect(
      lines[1] == #""rejects":1,"winners":\#(coordinates.count),"digest":"\#(digest)"}"#,
      "seed \(seed): \(outcome)")
    #expect(lines[2] == "\((coordinates.count + 1) / 2)" && lines[4] == "\(coordinates.count)")
    let found = Set(
      lines[5...].map { line in
        line.split(separator: ",").filter { $0.contains("itude") }
          .compactMap { Double($0.drop { $0 != ":" }.dropFirst().filter { $0 != "}" }) }
      })
    #expect(found == Set(coordinates.map { [$0.0, $0.1] }), "seed \(seed): \(outcome)")
  }
}

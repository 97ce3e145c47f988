import Glibc
import TestSupport
import Testing

private enum Spark {
  static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  static let isInstalled = unsafe access("\(root)/.build/spark/bin/spark-sql", X_OK) == 0
}

/// `Samples/spark/winners.sql` on Apache Spark, with two worker processes.
@Suite(.enabled(if: Spark.isInstalled, "Spark is not in .build/spark"))
struct SparkTests {
  /// A folder with the model, the operator and the lines; `job` runs the SQL and keeps its messages in `log`.
  private func makeFolder() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(
      #"""
      export PATH="$ROOT/.build/spark/bin:$PATH" SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS="$PWD/work"
      export SPARK_HOME=$(python3 -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
      "$IMPORT" --print-model poi > model.json
      job() {
        spark-sql --master 'local-cluster[2,1,1024]' --conf spark.ui.enabled=false \
          --conf spark.sql.catalogImplementation=in-memory --conf spark.executor.memory=512m \
          --files "$1,model.json" -d IN="$PWD/lines*" -d OUT="$PWD/$2" -d SHARDS=3 -d MODEL=model.json \
          -f "$ROOT/Samples/spark/winners.sql" > log 2>&1
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
      split -n l/3 "$ROOT/Samples/pois.ndjson" lines; cp "$IMPORT" poi-import
      job poi-import out; echo "$?"; cat out/summary/*.json
      cat out/winners/shard=*/*.txt | "$IMPORT" -q -m model.json -s a.sqlite -; "$DEDUP" --digest -s a.sqlite
      "$IMPORT" -q "$ROOT/Samples/pois.ndjson"; "$DEDUP" -q --key identifier; "$DEDUP" --digest
      job poi-import out; test "$?" = 0 || echo refused
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
    arguments: TestLength.some(
      [
        "exit 0", "head -n 20 | \"$IMPORT\" --emit --shards 3", "exec 1>&-; cat > /dev/null",
        "kill -9 $$",
      ], 1))
  func `an operator that loses lines fails the job`(operation: String) throws {
    let folder = try makeFolder()
    let outcome = try run(
      """
      head -n 200 "$ROOT/Samples/pois.ndjson" > lines; mkdir bad
      printf '#!/bin/sh\\nIMPORT=%s\\n%s\\n' "$IMPORT" '\(operation)' > bad/poi-import; chmod +x bad/poi-import
      job bad/poi-import out; test "$?" = 0 || echo failed; ls out | grep -c summary
      """, in: folder)
    #expect(outcome.output == "failed\n0\n", "\(outcome)")
  }
}

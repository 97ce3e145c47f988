import POITestSupport
import Testing

/// Random records with equal and missing keys and timestamps, and with tombstones.
enum RandomRecords {
  static let model =
    #"{"x-table":"t","x-key":"id","x-timestamp":"at","x-tombstone":{"attribute":"gone","removal":"mark"},"#
    + #""properties":{"id":{"type":["string","null"]},"at":{"type":["string","null"],"format":"date-time"},"#
    + #""gone":{"type":["boolean","null"]},"n":{"type":["number","null"]}}}"#

  static func lines(_ count: Int, keys: Int, seed: UInt64) -> String {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let members = [
        "\"id\":\"\(Int.random(in: 0..<keys, using: &generator))\"",
        "\"n\":\(Int.random(in: 0..<5, using: &generator))",
        "\"at\":\"2024-01-0\(Int.random(in: 1..<5, using: &generator))T00:00:00Z\"",
        "\"gone\":true",
      ]
      return "{\(members.filter { _ in Bool.random(using: &generator) }.joined(separator: ","))}\n"
    }.joined()
  }
}

/// `poi-import --emit` in a pipe.
@Suite struct EmitToolTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  @Test func `the digests of shards add up to the digest of one store`() throws {
    let folder = try ScratchFolder()
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let outcome = try Tool.shell(
      #"""
      "$1" --emit --shards 3 < "$3/pois.ndjson" > lines; echo "$?"
      tail -n 1 lines | cut -f 1-4,6
      awk -F '\t' '$1 ~ /record|keyless/ { print $7 > "part" $6 }' lines
      for n in 0 1 2; do "$1" -q -s "$n.sqlite" "part$n"; "$2" -q -s "$n.sqlite" --key identifier; done
      "$1" -q "$3/pois.ndjson"; "$2" -q --key identifier; rows=0
      for n in 0 1 2; do rows=$((rows + $("$2" --digest -s "$n.sqlite" | cut -d ' ' -f 4 | tr -d ,))); done
      echo "$rows"
      for n in 0 1 2; do "$2" --digest -s "$n.sqlite"; done | cut -d ' ' -f 2 > digests
      "$2" --digest | cut -d ' ' -f 2 >> digests
      python3 -c 'n = [int(x, 16) for x in open("digests")]; print(sum(n[:3]) % 2**128 == n[3])'
      """#, [importer.path, deduplicator.path, "/\(root)/Samples"], in: folder.path)
    #expect(outcome.output == "0\nend\t3069\t12\t2978\t79\n2600\nTrue\n", "\(outcome)")
  }

  /// The rule of the guide, in plain SQL.
  @Test func `another program finds the same winners in the fields`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let folder = try ScratchFolder()
    try folder.write(RandomRecords.model, to: "model.json")
    try folder.write(RandomRecords.lines(2_000, keys: 300, seed: seed), to: "lines")
    let outcome = try Tool.shell(
      #"""
      "$1" --emit --model model.json < lines | grep -v '^end' > fields
      sqlite3 :memory: > winners <<'SQL'
      CREATE TABLE fields (kind, key, timestamp, tombstone, digest, shard, record);
      .mode ascii
      .separator "\t" "\n"
      .import fields fields
      .mode list
      SELECT record FROM (
        SELECT record, row_number() OVER (PARTITION BY key ORDER BY
          CAST(nullif(timestamp, '\N') AS INTEGER) DESC NULLS LAST, tombstone DESC, digest DESC) AS place
        FROM fields WHERE kind = 'record') WHERE place = 1
      UNION ALL SELECT record FROM fields WHERE kind = 'keyless';
      SQL
      "$1" -q -m model.json -s a winners; "$2" --digest -s a
      "$1" -q -m model.json -s b lines; "$2" -q -s b; "$2" --digest -s b
      """#, [importer.path, deduplicator.path], in: folder.path)
    let digests = outcome.output.split(separator: "\n")
    #expect(digests.count == 2 && digests[0] == digests[1], "seed \(seed): \(outcome)")
    #expect(!outcome.output.contains(" of 0 rows"), "seed \(seed)")
  }

  @Test func `stores of shards have the digest of one store together`() throws {
    let folder = try ScratchFolder()
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let outcome = try Tool.shell(
      #"""
      import() { "$IMPORT" -q "$POIS" "$@"; }
      import; "$DEDUP" -q --key identifier; "$DEDUP" --digest
      for n in 0 1 2; do import --shard $n/3 -s $n; "$DEDUP" -q --key identifier -s $n; done
      "$DEDUP" --digest -s 0 -s 1 --store 2 | tail -n 1
      "$DEDUP" --digest -s 0 -s 1 --report json | tr -d '\n '; echo
      import --shard 0/1 --dry-run --report json | grep -c '"elsewhere": 0,'
      import --limit 10 --shard 0/3 -s r --report json | grep -E '"(read|inserted|elsewhere)"' | tr -d ' \n'; echo
      "$DEDUP" --digest -s 0 -s none; echo "$?"; "$DEDUP" --digest -s 0 -s ./0; echo "$?"
      "$DEDUP" -s 0 -s 1; echo "$?"
      for bad in 1/1 0/0 -1/2 a 0/2/3; do import --shard "$bad"; echo "$?"; done
      import --shard 0/2 --snapshot; echo "$?"
      import --shard 1/3 -s 0; echo "$?"; import --shard 0/4 -s 0; echo "$?"; import --shard 0/3; echo "$?"
      import -t other -s t; "$DEDUP" --digest -s 0 -s t; echo "$?"
      """#.replacing("$IMPORT", with: importer.path).replacing("$DEDUP", with: deduplicator.path)
        .replacing("$POIS", with: "/\(root)/Samples/pois.ndjson"), in: folder.path)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 18, "\(outcome)")
    #expect(lines[1] == lines[0] + " in 3 stores", "\(outcome)")
    #expect(lines[2].contains(#""stores":[{"store":"0","table":"poi""#), "\(outcome)")
    #expect(lines[3] == "1" && lines[4] == #""read":10,"inserted":3,"elsewhere":7,"#, "\(outcome)")
    #expect(lines[5] == "66" && lines[6...].allSatisfy { $0 == "64" }, "\(outcome)")
    #expect(
      outcome.messages.contains("none: no such store")
        && outcome.messages.contains("only --digest takes several stores")
        && outcome.messages.contains("has records of the shard 0/3, and not only of 1/3")
        && outcome.messages.contains("has records of all shards, and not only of 0/3")
        && outcome.messages.contains("name one of other, poi with --table"), "\(outcome)")
  }

  @Test func `an import is resumed with its shard only`() throws {
    let folder = try ScratchFolder()
    let records = (100..<200).map {
      #"{"identifier":"00000000-0000-4000-8000-000000000\#($0)","name":"a","latitude":1,"longitude":1}"#
    }
    try folder.write(records.joined(separator: "\n") + "\n", to: "first")
    try folder.write("<!DOCTYPE html>", to: "second")
    func run(_ arguments: String...) throws -> Tool.Outcome {
      try importer.run(["first", "second", "--shard", "1/4"] + arguments, in: folder.path)
    }
    let failed = try run()
    #expect(failed.exitCode == 65 && failed.messages.contains("--resume continues"), "\(failed)")
    try folder.write(records.joined(separator: "\n") + "\n", to: "second")
    for shard in [[], ["--shard", "0/4"]] {
      let other = try importer.run(["first", "second", "--resume"] + shard, in: folder.path)
      #expect(
        other.exitCode == 64 && other.messages.contains("began with the shard 1/4"), "\(other)")
    }
    let resumed = try run("--resume")
    #expect(resumed.exitCode == 0, "\(resumed)")
    let whole = try importer.run(
      ["first", "first", "--shard", "1/4", "-s", "whole"], in: folder.path)
    #expect(
      whole.output.split(separator: "\n").last == resumed.output.split(separator: "\n").last,
      "\(resumed)")
  }

  @Test func `mistakes and a closed reader end it`() throws {
    let folder = try ScratchFolder()
    let outcome = try Tool.shell(
      #"""
      "$1" --emit file; echo "$?"; "$1" --emit --shards 0 < /dev/null; echo "$?"
      "$1" --shards 2 file; echo "$?"; "$1" --emit --store x < /dev/null; echo "$?"
      printf '' | "$1" --emit; printf '{}' | "$1" --emit - > out; echo "$?"; cut -f 1,2 out
      yes '{"identifier":1}' | "$1" --emit | head -n 1 | cut -f 1; ls
      """#, [importer.path], in: folder.path)
    #expect(
      outcome.output == """
        64
        64
        64
        64
        end\t0\t0\t0\t0\t0\t00000000000000000000000000000000
        0
        reject\trequired
        end\t1
        reject
        out

        """, "\(outcome)")
  }
}

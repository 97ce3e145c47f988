import TestSupport
import Testing

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

import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct SortKeyTests {
  private func key(_ text: String) -> SortKey? {
    var forms = SortKey.Forms()
    return SortKey(text: Array(text.utf8).span, noting: &forms)
  }

  private func forms(_ text: String) -> SortKey.Forms {
    var forms = SortKey.Forms()
    let key = SortKey(text: Array(text.utf8).span, noting: &forms)
    #expect((key == nil) == forms.isEmpty)
    return forms
  }

  @Test func `keys have the same bits exactly when they are the same`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var texts: Set<String> = ["", "\0", "\0\0", "1", "\u{1}"]
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...15, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...3, using: &generator) }
      texts.insert(String(decoding: bytes, as: UTF8.self))
    }
    var bits: Set<[UInt64]> = []
    for text in texts {
      #expect(forms(text) == .value)
      bits.insert(key(text).map { [$0.high, $0.low] } ?? [])
    }
    #expect(bits.count == texts.count, "seed \(seed)")
    let integers: [Int64] = [0, 1, 2, -1, .min, .max, 256, 0x3030_3030]
    for integer in integers {
      var forms = SortKey.Forms()
      let key = SortKey(integer: integer, noting: &forms)
      #expect(forms == .value)
      bits.insert([key.high, key.low])
    }
    #expect(bits.count == texts.count + integers.count, "seed \(seed)")
  }

  @Test func `UUIDs are distinguished by the case of their letters`() {
    let upper = "1975DB51-5A45-4FD6-AC54-46CA6042C710"
    #expect(forms(upper) == .upperCaseUUID)
    #expect(forms(upper.lowercased()) == .lowerCaseUUID)
    #expect(key(upper.replacing("D", with: "d")) == nil)
    #expect(forms("00000000-0000-0000-0000-000000000000") == .upperCaseUUID)
    #expect(key(upper + " ") == nil)
    #expect(key(String(upper.dropLast()) + "é") == nil)
  }

  @Test func `UUIDs that differ in one digit differ in their bits, and nothing else is one`() {
    let base = Array("1975DB51-5A45-4FD6-AC54-46CA6042C710".utf8)
    var bits: Set<[UInt64]> = []
    var count = 0
    for place in base.indices {
      for byte in UInt8.min ... .max {
        var text = base
        text[place] = byte
        let isHyphen = base[place] == UInt8(ascii: "-")
        let isDigit = (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
        var forms = SortKey.Forms()
        let key = SortKey(text: text.span, noting: &forms)
        #expect((key != nil) == (isHyphen ? byte == base[place] : isDigit), "\(place) \(byte)")
        guard let key, text != base else { continue }
        bits.insert([key.high, key.low])
        count += 1
      }
    }
    #expect(bits.count == count && count == 32 * 15)
  }

  @Test func `equal bits are equal keys only if all keys have one form`() {
    var forms = SortKey.Forms()
    #expect(forms.areExact)
    forms.insert(.upperCaseUUID)
    forms.insert(.upperCaseUUID)
    #expect(forms.areExact)
    forms.insert(.value)
    #expect(!forms.areExact)
    var hashed = SortKey.Forms()
    _ = SortKey(CanonicalKey(), noting: &hashed)
    #expect(!hashed.areExact)
  }

  @Test func `a key of each form matches an equal key in any table`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k);
      INSERT INTO t VALUES (2), (2.0), ('2'), (x'32'), (2.5), (2.5), ('2'), (9e99), (9e99),
        ('1975DB51-5A45-4FD6-AC54-46CA6042C710'), ('1975db51-5a45-4fd6-ac54-46ca6042c710'),
        ('1975DB51-5A45-4FD6-AC54-46CA6042C710'), ('a text beyond 15 bytes'), (x'32'),
        ('a text beyond 15 bytes'), (-0.0), (0), (NULL), (NULL)
      """)
    var options = DeduplicationOptions()
    for (rule, count) in [(DeduplicationOptions.NullKeyRule.keep, 11), (.group, 10)] {
      options.nullKey = rule
      let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
      _ = try Deduplicator(layout: layout, options: options)
        .run(on: connection, clock: someInstant)
      #expect(try connection.integer("SELECT count(*) FROM t") == Int64(count))
    }
  }
}

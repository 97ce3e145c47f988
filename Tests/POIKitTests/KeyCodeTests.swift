import SQLiteKit
import TestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct KeyCodeTests {
  private func code(_ text: String) -> KeyCode? { KeyCode(text: Array(text.utf8).span) }

  @Test func `keys have the same bits exactly when they are the same`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var texts: Set<String> = ["", "\0", "\0\0", "1", "\u{1}"]
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...15, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...3, using: &generator) }
      texts.insert(String(decoding: bytes, as: UTF8.self))
    }
    var bits: Set<Digest> = []
    for text in texts {
      let code = code(text)
      #expect(code?.form == .value)
      bits.insert(code?.bits ?? .zero)
    }
    #expect(bits.count == texts.count, "seed \(seed)")
    let integers: [Int64] = [0, 1, 2, -1, .min, .max, 256, 0x3030_3030]
    for integer in integers { bits.insert(KeyCode(integer: integer).bits) }
    #expect(bits.count == texts.count + integers.count, "seed \(seed)")
  }

  @Test func `a UUID is known by the case of its letters`() {
    let upper = "1975DB51-5A45-4FD6-AC54-46CA6042C710"
    #expect(code(upper)?.form == .upperCaseUUID)
    #expect(code(upper.lowercased())?.form == .lowerCaseUUID)
    #expect(code(upper.replacing("D", with: "d")) == nil)
    #expect(code("00000000-0000-0000-0000-000000000000")?.form == .upperCaseUUID)
    #expect(code(upper + " ") == nil)
    #expect(code(String(upper.dropLast()) + "é") == nil)
  }

  @Test func `UUIDs that differ in one digit differ in their bits, and nothing else is one`() {
    let base = Array("1975DB51-5A45-4FD6-AC54-46CA6042C710".utf8)
    var bits: Set<Digest> = []
    var count = 0
    for place in base.indices {
      for byte in UInt8.min ... .max {
        var text = base
        text[place] = byte
        let isHyphen = base[place] == UInt8(ascii: "-")
        let isDigit = (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
        let code = KeyCode(text: text.span)
        #expect((code != nil) == (isHyphen ? byte == base[place] : isDigit), "\(place) \(byte)")
        guard let code, text != base else { continue }
        bits.insert(code.bits)
        count += 1
      }
    }
    #expect(bits.count == count && count == 32 * 15)
  }

  @Test func `equal bits are equal keys only where all keys are of one form`() {
    var forms = KeyForms()
    #expect(forms.areExact)
    forms.note(.upperCaseUUID)
    forms.note(.upperCaseUUID)
    #expect(forms.areExact)
    forms.note(.value)
    #expect(!forms.areExact)
    var hashed = KeyForms()
    hashed.note(.hash)
    #expect(!hashed.areExact)
  }

  @Test func `a key of each form meets its like in any table`() throws {
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
    for (rule, count) in [(NullKeyRule.keep, 11), (.group, 10)] {
      options.nullKey = rule
      let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
      _ = try Deduplicator(layout: layout, options: options)
        .run(on: connection, clock: someInstant)
      #expect(try connection.integer("SELECT count(*) FROM t") == Int64(count))
    }
  }
}

import Testing

@testable import POIRecords

@Suite struct MergeRuleTests {
  private func error(_ document: String) -> ModelError? {
    do {
      _ = try Model(parsing: document)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (#""a":{"type":"string","x-merge":"best"}"#, "is not a merge rule"),
    (#""a":{"type":"integer","x-merge":"longest"}"#, "needs text"),
    (#""a":{"type":"string","format":"uuid","x-merge":"longest"}"#, "needs text"),
    (#""a":{"type":"string","x-merge":"minimum"}"#, "needs numbers or instants"),
    (#""a":{"type":"boolean","x-merge":"maximum"}"#, "needs numbers or instants"),
    (#""a":{"type":"object","x-merge":"union"}"#, "needs arrays"),
    (#""k":{"type":"string","x-merge":"newest"}"#, "is the key"),
    (#""at":{"type":"string","format":"date-time","x-merge":"maximum"}"#, "is the timestamp"),
    (#""gone":{"type":"boolean","x-merge":"newest"}"#, "is the tombstone"),
    (
      #""a":{"type":"object","x-merge":"newest","x-relation":{"table":"r","unique":"n"},"properties":{"n":{"type":"string"}},"required":["n"]}"#,
      "a related row is not merged"
    ),
  ])
  func `a rule that cannot be followed is refused`(property: String, message: String) {
    let others = [
      #""k":{"type":"string"}"#, #""at":{"type":"string","format":"date-time"}"#,
      #""gone":{"type":"boolean"}"#,
    ].filter { !property.hasPrefix(String($0.prefix(4))) }
    let properties = (others + [property]).joined(separator: ",")
    let found = error(
      #"{"x-table":"t","x-key":"k","x-timestamp":"at","x-tombstone":"gone","properties":{\#(properties)}}"#
    )
    #expect(found?.message.contains(message) == true, "\(found?.message ?? "accepted")")
    #expect(found?.pointer.hasSuffix("/x-merge") == true)
  }

  @Test func `rules are read for the columns of a layout`() throws {
    let model = try Model(
      parsing: """
        {"x-table":"t","x-key":"k","properties":{"k":{"type":"string"},
          "b":{"type":["string","null"],"x-merge":"longest"},
          "c":{"type":"number","x-merge":"minimum"},
          "d":{"type":"integer","x-unit":"seconds","x-merge":"maximum"},
          "e":{"type":"array","x-merge":"union"}}}
        """)
    let rules = model.attributes.map(\.mergeRule)
    #expect(rules == [nil, .longest, .minimum, .maximum, .union])
  }

  @Test(arguments: [
    ("1.0", "1"), ("1e2", "100"), ("-0.0", "0"), ("0.050", "0.05"), ("12.5", "12.5"),
    ("1e-30", "1e-30"), ("1E400", "1e400"), (#"{"b":[1.0],"a":null}"#, #"{"a":null,"b":[1]}"#),
  ])
  func `equal JSON values have one canonical text`(json: String, canonical: String) throws {
    #expect(try JSONValue(parsing: json).canonical.description == canonical)
  }
}

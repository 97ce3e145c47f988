import POIKit

extension FuzzTarget {
  /// A text is either refused with its place, or a condition that a store answers: a row meets it or its opposite,
  /// or neither if a value is missing.
  static func readCondition(_ input: inout FuzzInput) throws {
    let text = input.text()
    let filter: RowFilter
    do { filter = try RowFilter(parsing: text) } catch {
      return try expect(error.message.hasSuffix("^"), "no place: \(error.message)")
    }
    let model = try Model(
      parsing: """
        {"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"},"name":{"type":"string"},
         "at":{"type":"string","format":"date-time"},"open":{"type":"boolean"},"area":{"type":"number"}}}
        """)
    let store = try Store.inMemory()
    let records = #"{"id":1,"name":"a","at":"2026-01-01T00:00:00Z","open":true,"area":0.5}{"id":2}"#
    try store.importRecords(from: .text(records), model: model)
    do {
      let found = try store.rows(where: [filter]).map(\.id)
      let others = try store.rows(where: [.not(filter)]).map(\.id)
      try expect(Set(found).isDisjoint(with: others), "\(found) and \(others) meet it")
      try expect(try store.count(where: [filter]) == found.count, "another count")
      let either = try store.rows(where: [.any([filter, .not(filter)])]).map(\.id)
      try expect(either == (found + others).sorted(), "\(either) meet one of them")
    } catch let error as StoreError {
      // SQLite bounds the length of a pattern.
      let isRefused = [.noSuchColumn, .invalidOptions].contains(error.code)
      try expect(isRefused || error.message.contains("pattern too complex"), "\(error)")
    }
  }
}

import POIRecords
import POISQLite

@testable import POIKit

/// Statements on a store that nothing else uses.
extension Store {
  func execute(_ sql: SQL) throws { try withConnection { try $0.execute(sql) } }

  func integer(_ sql: SQL) throws -> Int64? { try withConnection { try $0.integer(sql) } }

  func text(_ sql: SQL) throws -> String? { try withConnection { try $0.text(sql) } }

  func prepareTables(for model: Model) throws {
    try leased { try $0.prepareTables(for: model) }
  }

  func dataVersion() throws -> Int64 { try withConnection { try $0.dataVersion() } }
}

func rows(_ sql: SQL, in store: Store) throws -> [String] {
  try store.withConnection { try rows(sql, in: $0) }
}

func dump(_ table: String, in store: Store) throws -> [String] {
  try store.withConnection { try dump(table, in: $0) }
}

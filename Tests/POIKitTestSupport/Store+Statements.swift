package import POIRecords
package import POISQLite

@testable package import POIKit

/// Statements on a store that nothing else uses.
extension Store {
  package func execute(_ sql: SQL) throws { try withConnection { try $0.execute(sql) } }

  package func integer(_ sql: SQL) throws -> Int64? { try withConnection { try $0.integer(sql) } }

  package func text(_ sql: SQL) throws -> String? { try withConnection { try $0.text(sql) } }

  package func prepareTables(for model: Model) throws {
    try leased { try $0.prepareTables(for: model) }
  }

  package func dataVersion() throws -> Int64 { try withConnection { try $0.dataVersion() } }
}

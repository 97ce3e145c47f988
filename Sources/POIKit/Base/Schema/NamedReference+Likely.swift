internal import POISQLite

extension NamedReference {
  /// The columns that look like undeclared references to the rows of a table: their names are the table's, and
  /// all their values are integers and row ids of it.
  ///
  /// Values alone do not tell: in a store of nine tables, 126 pairs of columns and tables match by values, and
  /// four by names too.
  static func likely(to parent: TableSchema) throws -> [NamedReference] {
    let known = try TableReference.all(to: parent)
    var candidates: [NamedReference] = []
    var columns = try parent.connection.prepare(
      """
      SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name, 'main') AS c
      WHERE t.schema = 'main' AND t.type = 'table' AND c.hidden = 0
        AND NOT \(Bookkeeping.owns("t.name")) AND t.name NOT GLOB 'sqlite_*'
      ORDER BY t.name, c.cid
      """, isPersistent: false)
    while try columns.step() {
      let (table, column) = (columns.text(0), columns.text(1))
      let isKnown = known.contains { $0.childTable == table && $0.childColumns.contains(column) }
      guard !isKnown, table != parent.name || column != parent.rowIDColumn,
        stem(column) == stem(parent.name)
      else { continue }
      candidates.append(NamedReference(child: table, column: column, parent: parent.name))
    }
    return try candidates.filter { candidate in
      let (child, column): (SQL, SQL) = (
        "main.\(name: candidate.child)", "c.\(name: candidate.column)"
      )
      return try parent.connection.integer(
        """
        SELECT EXISTS (SELECT 1 FROM \(child) AS c WHERE \(column) IS NOT NULL) AND NOT EXISTS (
          SELECT 1 FROM \(child) AS c WHERE \(column) IS NOT NULL AND (typeof(\(column)) <> 'integer'
            OR NOT EXISTS (SELECT 1 FROM main.\(name: parent.name) AS p
              WHERE p.\(name: parent.rowIDName) = \(column))))
        """) == 1
    }
  }

  /// A name without `Z` or `Z_<number>` before it and `_id` or `s` behind it, in lower case.
  private static func stem(_ name: String) -> String {
    var rest = Substring(name)
    if rest.hasPrefix("Z_") {
      rest = rest.dropFirst(2).drop { $0.isASCII && $0.isNumber }
    } else if rest.hasPrefix("Z") {
      rest = rest.dropFirst()
    }
    var text = rest.lowercased()
    for ending in ["_id", "s"] where text.hasSuffix(ending) { text.removeLast(ending.count) }
    return text
  }
}

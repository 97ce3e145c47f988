/// The text of SQL statements, or a part of such a text, that no value can get into.
///
/// It is written as a literal. What a literal may have put into it are other `SQL`, whole numbers, and
/// names and texts, which are quoted as they go in:
///
///     let key: [SQL] = columns.map { "\(name: $0) IS NOT NULL" }
///     "SELECT count(*) FROM \(name: table) WHERE \(key.joined(separator: " AND ")) AND run = \(run)"
///
/// A `String` goes in in no other way: that does not compile. Values are bound to parameters.
public struct SQL: Sendable, Hashable {
  /// The text as SQLite gets it.
  public private(set) var text: String

  /// Text that was not written here, taken as it is: such as the statement that made an index, which
  /// the database keeps. Whoever may write to that text may run what they like.
  public init(verbatim text: String) {
    self.text = text
  }

  /// A name of a table, a column or the like, whatever characters it has: in double quotes, those
  /// inside it doubled.
  public init(name: String) {
    self = "\(name: name)"
  }

  /// Whether both are the same bytes, as SQLite tells names apart; a `String` equals its other normal
  /// forms, too.
  public static func == (left: SQL, right: SQL) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Appends SQL.
  public static func += (left: inout SQL, right: SQL) {
    left.text += right.text
  }
}

extension Sequence where Element == SQL {
  /// All parts, one after the other, with a separator between each two.
  public func joined(separator: SQL) -> SQL {
    var joined = SQL(verbatim: "")
    for (place, part) in enumerated() {
      if place > 0 { joined += separator }
      joined += part
    }
    return joined
  }
}

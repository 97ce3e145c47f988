/// The text of SQL statements, or a part of it, that cannot contain values.
///
/// It is written as a literal. A literal may interpolate other `SQL`, whole numbers, and names and
/// texts, which are quoted:
///
/// ```swift
/// let (table, columns, run) = ("poi", ["name", "city"], 7)
/// let key: [SQL] = columns.map { "\(name: $0) IS NOT NULL" }
/// let count: SQL =
///   "SELECT count(*) FROM \(name: table) WHERE \(key.joined(separator: " AND ")) AND run = \(run)"
/// ```
///
/// A plain `String` cannot be interpolated: that does not compile. Values are bound to parameters.
public struct SQL: Sendable, Hashable {
  /// The text as SQLite gets it.
  public private(set) var text: String

  /// Text used verbatim that was not written in the program, such as the stored statement of an
  /// index. A user who can write it can run any SQL.
  public init(verbatim text: String) {
    self.text = text
  }

  /// A quoted identifier with any characters: in double quotes, with inner ones doubled.
  public init(name: String) {
    self = "\(name: name)"
  }

  /// Whether both are the same bytes, as SQLite compares names; `String` also equates normal forms.
  public static func == (left: SQL, right: SQL) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Appends SQL.
  public static func += (left: inout SQL, right: SQL) {
    left.text += right.text
  }
}

extension Sequence where Element == SQL {
  /// Joins the parts with a separator between them.
  public func joined(separator: SQL) -> SQL {
    var joined = SQL(verbatim: "")
    for (place, part) in enumerated() {
      if place > 0 { joined += separator }
      joined += part
    }
    return joined
  }
}

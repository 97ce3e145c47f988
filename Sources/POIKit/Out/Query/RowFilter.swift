internal import POIRecords
internal import POISQLite

/// A condition on rows.
///
/// An attribute has the name that the model gives it; one of a related row has a name such as
/// `category.name`. An attribute that is an instant is compared with an `Instant`, or with RFC 3339 text such
/// as `2026-01-31T00:00:00Z` or `2026-01-31`; a boolean also with `true` and `false` as texts. A row without a
/// value meets only `equal` with null and `notEqual`.
public struct RowFilter: Sendable {
  enum Comparison: String {
    case equal = "IS"
    case notEqual = "IS NOT"
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
    case matches = "GLOB"
  }

  var attribute: String
  let comparison: Comparison
  let value: RowValue

  private init(_ attribute: String, _ comparison: Comparison, _ value: some RowValueConvertible) {
    self.attribute = attribute
    self.comparison = comparison
    self.value = value.rowValue
  }

  /// The attribute has this value; `RowValue.null` for none.
  public static func equal(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .equal, value)
  }

  /// The attribute has another value, or none.
  public static func notEqual(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .notEqual, value)
  }

  /// The attribute is less than this value.
  public static func less(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .less, value)
  }

  /// The attribute is this value or less.
  public static func atMost(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .atMost, value)
  }

  /// The attribute is greater than this value.
  public static func greater(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .greater, value)
  }

  /// The attribute is this value or greater.
  public static func atLeast(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .atLeast, value)
  }
}

extension RowFilter {
  /// The attribute is a text that contains this one, with letters of either case.
  public static func contains(_ attribute: String, _ text: String) -> RowFilter {
    var pattern = "*"
    for character in text {
      let forms = Set([String(character), character.uppercased(), character.lowercased()])
      // A form of several scalars, such as "SS" for "ß", is no member of a set.
      let members = forms.filter { $0.unicodeScalars.count == 1 }.sorted().joined()
      let isSpecial = "*?[".contains(character)
      pattern += members.unicodeScalars.count > 1 || isSpecial ? "[\(members)]" : String(character)
    }
    return RowFilter(attribute, .matches, pattern + "*")
  }

  /// The condition as SQL, with the value as the next parameter.
  ///
  /// - Parameter column: the expression of the attribute.
  func condition(on column: SQL) -> SQL { "\(column) \(SQL(verbatim: comparison.rawValue)) ?" }
}

/// An order of rows by one attribute. Rows without a value come first if it is ascending.
public struct RowOrder: Sendable {
  var attribute: String
  let isDescending: Bool

  /// From the least value to the greatest.
  public static func ascending(_ attribute: String) -> RowOrder {
    RowOrder(attribute: attribute, isDescending: false)
  }

  /// From the greatest value to the least.
  public static func descending(_ attribute: String) -> RowOrder {
    RowOrder(attribute: attribute, isDescending: true)
  }
}

internal import POIRecords
internal import POISQLite

/// A condition on rows.
///
/// An attribute has the name that the model gives it; one of a related row has a name such as
/// `category.name`. An attribute that is an instant is compared with an `Instant`, or with RFC 3339 text such
/// as `2026-01-31T00:00:00Z` or `2026-01-31`; a boolean also with `true` and `false` as texts. A row without a
/// value meets only `isNull`, `notEqual` and `equal` with null; it meets neither another comparison nor its `not`.
///
/// ```swift
/// let box = GeographicBox(west: 13, south: 52, east: 14, north: 53)
/// let filters: [RowFilter] = [.within(box), .any([.equal("city", "Berlin"), .isNull("city")])]
/// let typed = try RowFilter(parsing: "city = 'Berlin' or city is null")
/// ```
public struct RowFilter: Sendable {
  enum Comparison: String {
    case equal = "IS"
    case notEqual = "IS NOT"
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
    case matches = "GLOB"
    case like = "LIKE"
  }

  indirect enum Form {
    case comparison(String, Comparison, RowValue)
    case all([RowFilter])
    case any([RowFilter])
    case not(RowFilter)
    case within(GeographicBox)
  }

  let form: Form

  init(_ form: Form) { self.form = form }

  private init(_ attribute: String, _ comparison: Comparison, _ value: some RowValueConvertible) {
    form = .comparison(attribute, comparison, value.rowValue)
  }

  /// The attribute has this value; `RowValue.null` for none.
  public static func equal(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .equal, value)
  }

  /// The attribute has another value, or none.
  public static func notEqual(_ attribute: String, _ value: some RowValueConvertible) -> RowFilter {
    RowFilter(attribute, .notEqual, value)
  }

  /// The attribute has no value.
  public static func isNull(_ attribute: String) -> RowFilter { .equal(attribute, RowValue.null) }

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

  /// The attribute is a text like this pattern: `%` is any text, `_` any character, and ASCII letters have either case.
  public static func like(_ attribute: String, _ pattern: String) -> RowFilter {
    RowFilter(attribute, .like, pattern)
  }

  /// The record's geometry, or the point at its coordinates, is in or touches a rectangle. If the store was shipped with
  /// a spatial index, the rows are found through it.
  public static func within(_ box: GeographicBox) -> RowFilter { RowFilter(.within(box)) }

  /// All of the conditions are met.
  public static func all(_ filters: [RowFilter]) -> RowFilter { RowFilter(.all(filters)) }

  /// At least one of the conditions is met.
  public static func any(_ filters: [RowFilter]) -> RowFilter { RowFilter(.any(filters)) }

  /// The condition is not met.
  public static func not(_ filter: RowFilter) -> RowFilter { RowFilter(.not(filter)) }
}

extension RowFilter {
  /// The attributes that are compared.
  var attributes: [String] {
    switch form {
    case .comparison(let attribute, _, _): [attribute]
    case .all(let filters), .any(let filters): filters.flatMap(\.attributes)
    case .not(let filter): filter.attributes
    case .within: []
    }
  }

  /// The condition with other names of the attributes.
  func renamed<Failure>(
    _ name: (String) throws(Failure) -> String
  ) throws(Failure) -> RowFilter {
    switch form {
    case .comparison(let attribute, let comparison, let value):
      RowFilter(.comparison(try name(attribute), comparison, value))
    case .all(let filters):
      .all(try filters.map { filter throws(Failure) in try filter.renamed(name) })
    case .any(let filters):
      .any(try filters.map { filter throws(Failure) in try filter.renamed(name) })
    case .not(let filter): .not(try filter.renamed(name))
    case .within: self
    }
  }
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

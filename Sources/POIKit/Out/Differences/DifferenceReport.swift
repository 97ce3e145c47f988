/// How the records of two stores differ.
public struct DifferenceReport: Sendable, Hashable {
  /// The table.
  public let table: String

  /// The attributes that identify a record.
  public let key: [String]

  /// The number of records that only the newer store has.
  public var addedCount = 0

  /// The number of records that only the older store has.
  public var removedCount = 0

  /// The number of records whose attributes differ.
  public var changedCount = 0

  /// The number of records that are equal.
  public var equalCount = 0

  /// The number of changed records by attribute, in the order of the model.
  public var changedAttributes: [ChangedAttribute] = []

  /// An attribute, and the number of records in which it changed.
  public struct ChangedAttribute: Sendable, Hashable {
    /// The name, such as `category.name`.
    public let name: String

    /// The number of records.
    public var recordCount: Int
  }

  /// The number of records without a key, in the older and the newer store. They are not compared.
  public var keylessCounts = Pair()

  /// The number of keys that several records of a store have. Their records are not compared.
  public var repeatedKeyCounts = Pair()

  /// A number for each store.
  public struct Pair: Sendable, Hashable {
    /// The number in the older store.
    public var older = 0

    /// The number in the newer store.
    public var newer = 0

    /// Zeros.
    public init() {}
  }

  /// The attributes that only one of the models has, or that the two keep as different types. They are not compared.
  public var uncomparedAttributes: [String] = []

  /// The places of the first added, changed and removed records: degrees of longitude and latitude.
  package private(set) var places: [Change: [SIMD2<Double>]] = [:]

  /// How a record differs.
  package enum Change: String, Sendable, CaseIterable {
    case added, changed, removed
  }

  /// Appends the place of a row, if it is one of the first 1,000.
  mutating func append(_ rows: RowReader, of change: Change, _ reader: inout PlaceReader?) {
    guard places[change, default: []].count < 1_000, let place = reader?.place(in: rows.statement)
    else { return }
    places[change, default: []].append(place)
  }

  /// Whether all records were compared by all attributes, and are equal.
  public var areEqual: Bool {
    addedCount + removedCount + changedCount == 0 && keylessCounts == Pair()
      && repeatedKeyCounts == Pair() && uncomparedAttributes.isEmpty
  }

  /// Whether all rows were compared; false if the program stopped the comparison.
  public var isFinished = true
}

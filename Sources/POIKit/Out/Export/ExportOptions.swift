/// What an export writes, and in which form.
public struct ExportOptions: Sendable {
  /// The form of the records.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// One JSON object a line.
    case ndjson
    /// One JSON array; or one JSON object, if the model reads a part of the record from the name of the
    /// member that holds it.
    case json
    /// A GeoJSON FeatureCollection (RFC 7946). The geometry is the record's, or else a point at its coordinates.
    case geojson
    /// GeoJSON Features as a text sequence (RFC 8142).
    case geojsonseq
    /// Comma-separated values with a header (RFC 4180). Attributes of a related record are columns such as
    /// `category.name`; objects, arrays and the records of a relation to many are JSON. NULL is an empty field,
    /// and an empty text is `""`.
    case csv
  }

  /// The form of the records; nil for `json` if the model reads the names of the members that hold the
  /// records, else for `ndjson`.
  public var format: Format?

  /// Conditions that all have to be met.
  public var filters: [RowFilter] = []

  /// Only records whose geometry is in or touches this rectangle; nil for all. Records without a geometry are not.
  public var box: GeographicBox?

  /// The order, the first attribute first; rows that are equal in it come by row id.
  public var orders: [RowOrder] = []

  /// The attributes or columns to write; empty for all. CSV has them in this order.
  public var columns: [String] = []

  /// The largest number of records; nil for all.
  public var limit: Int?

  /// Whether CSV gets an apostrophe before a text that a spreadsheet would run as a formula: one that begins with
  /// `=`, `+`, `-`, `@`, a tab or a carriage return.
  public var isSpreadsheetSafe = false

  /// Whether each written record is read again, as an import reads it, to find those that the model refuses or reads
  /// with other values. Only whole records as `ndjson` or `json` can be checked.
  public var isChecked = false

  /// All rows of a table as JSON, by row id.
  public init() {}

  static let uncheckable = StoreFailure(
    .invalidOptions,
    "only whole records in the form that their model reads can be checked; write all attributes as ndjson or json"
  )
}

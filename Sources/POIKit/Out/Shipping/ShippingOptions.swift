/// What a store for an app's bundle gets besides its records. The names are attributes of the table.
public struct ShippingOptions: Sendable, Hashable {
  /// The table to index; nil for the only one of the store that is not empty.
  public var table: String?

  /// The attributes of each index to create.
  public var indexes: [[String]] = []

  /// Whether the positions or geometries get an R*Tree, `<table>_spatial`.
  public var hasSpatialIndex = false

  /// The texts to search with FTS5 in `<table>_text`; empty for no search.
  public var fullText: [String] = []

  /// Nothing but the records.
  public init() {}
}

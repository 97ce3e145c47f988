internal import POIRecords
internal import POISQLite

/// The rows of a model's table that an export writes, in their order.
struct ExportedRows: ~Copyable {
  let reader: RowReader
  private let box: GeographicBox?
  private let limit: Int?
  private var geometries: GeometryReader?
  private var count = 0

  /// - Throws: `StoreFailure` with `noSuchColumn` or `invalidOptions`.
  init(
    _ model: Model, _ options: ExportOptions, includesRemoved: Bool, rowID: SQL? = RowReader.rowID,
    in connection: Connection
  ) throws {
    box = options.box
    limit = options.limit
    geometries = box == nil ? nil : GeometryReader(try GeometrySource(of: model))
    reader = try RowReader(
      model, where: options.filters, orderedBy: options.orders, limit: box == nil ? limit : nil,
      includesRemoved: includesRemoved, rowID: rowID, in: connection)
  }

  /// Goes to the next row; returns false after the last one.
  mutating func step() throws -> Bool {
    guard let box else { return try reader.step() }
    while count != limit, try reader.step() {
      if geometries?.read(reader.statement, touching: box) == true {
        count += 1
        return true
      }
    }
    return false
  }
}

internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// A GeoPackage with one layer, the rows of a table as features.
///
/// Page: OGC 12-128r18, GeoPackage 1.3
struct GeoPackage: ~Copyable {
  private let connection: Connection
  private let schema: GeoPackageSchema
  private let values: [Value]
  private var reader: GeometryReader
  private var insertion: Statement
  private var index: PackedSpatialIndex
  private var extent = Envelope()
  private var blob: GrowableBuffer<UInt8>
  private var json: RowOutput

  /// What a column of the layer gets.
  private enum Value: BitwiseCopyable {
    /// A column of the row.
    case same(column: Int)
    /// An instant as text.
    case instant(column: Int)
    /// The rows of a relation to many as JSON.
    case rows(relation: Int)
  }

  /// - Parameters:
  ///   - path: an empty file.
  ///   - names: the attributes to write; empty for all. A geometry does not get a second column.
  init(_ path: String, of model: Model, columns names: [String]) throws {
    let geometry = try GeometrySource(of: model)
    let layout = RecordLayout(model)
    let columns = try TableColumns(of: model, named: names).all.filter { column in
      if case .field(let field) = column.content { !geometry.contains(field) } else { true }
    }
    let values = columns.map { (column) -> Value in
      switch column.content {
      case .field(let field):
        if case .instant = layout.fields[field].attribute.storage {
          .instant(column: field + 1)
        } else {
          .same(column: field + 1)
        }
      case .rows(let relation): .rows(relation: relation)
      case .unmapped: .same(column: layout.fields.count + 1)
      }
    }
    let schema = GeoPackageSchema(of: model, geometry, columns: columns)
    let connection = try Connection(path: path, access: .readWrite)
    connection.trustOwnFile()
    try connection.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000")
    try connection.begin()
    try connection.execute(schema.creation)
    let index = try PackedSpatialIndex(schema.indexName, in: connection)
    let insertion = try connection.prepare(schema.insertion(ofColumns: columns.count))
    self.index = index
    self.insertion = insertion
    blob = GrowableBuffer()
    json = RowOutput()
    self.schema = schema
    self.values = values
    self.connection = connection
    reader = GeometryReader(geometry)
  }

  /// Adds the writer's current row.
  mutating func add(_ writer: RecordWriter) throws {
    let id = writer.reader.statement.integer(0)
    try insertion.bind(1, integer: id)
    if reader.read(writer.reader.statement, firstColumn: 1) {
      makeBlob()
      try insertion.bind(2, blob: blob)
      let envelope = reader.geometry.envelope
      if envelope.isIndexable { try index.add(row: id, envelope) }
      extent.include(envelope)
    } else {
      try insertion.bindNull(2)
    }
    for (place, value) in values.enumerated() {
      switch value {
      case .same(let column):
        try insertion.bind(place + 3, column: column, of: writer.reader.statement)
      case .instant(let column):
        if writer.reader.statement.isNull(column) {
          try insertion.bindNull(place + 3)
        } else {
          let instant = Instant(microseconds: writer.reader.statement.integer(column))
          // To the millisecond.
          try insertion.bind(place + 3, text: instant.textWithMicroseconds.dropLast(4) + "Z")
        }
      case .rows(let relation):
        json.bytes.removeAll()
        try writer.append(rowsOf: relation, to: &json)
        try insertion.bind(place + 3, text: json.bytes)
      }
    }
    try insertion.run()
  }

  /// Makes the blob of the geometry that was read. A point needs no envelope.
  private mutating func makeBlob() {
    blob.removeAll()
    let envelope = reader.geometry.envelope
    let hasEnvelope = !envelope.isEmpty && !reader.geometry.isPoint
    // The byte order is little-endian; an envelope has two axes.
    let flags: UInt8 = (hasEnvelope ? 0b0011 : 0b0001) | (envelope.isEmpty ? 0b1_0000 : 0)
    for byte in [UInt8(ascii: "G"), UInt8(ascii: "P"), 0, flags] { blob.append(byte) }
    append(UInt32(GeoPackageSchema.referenceSystem))
    if hasEnvelope {
      for value in [envelope.west, envelope.east, envelope.south, envelope.north] {
        append(value.bitPattern)
      }
    }
    reader.geometry.append(to: &blob)
  }

  private mutating func append<Word: FixedWidthInteger>(_ word: Word) {
    for byte in 0..<Word.bitWidth / 8 {
      blob.append(UInt8(truncatingIfNeeded: word >> (8 * byte)))
    }
  }

  /// Writes the index and what the package says about itself; returns the size of the file.
  consuming func finish() throws -> Int {
    try index.finish()
    for trigger in schema.indexTriggers { try trigger.create(in: connection) }
    if !extent.isEmpty {
      var statement = try connection.prepare(
        "UPDATE gpkg_contents SET min_x = ?1, max_x = ?2, min_y = ?3, max_y = ?4")
      let edges = [extent.west, extent.east, extent.south, extent.north]
      for (place, edge) in edges.enumerated() { try statement.bind(place + 1, real: edge) }
      try statement.run()
    }
    try connection.commit()
    try connection.execute("PRAGMA journal_mode = DELETE")
    return try connection.byteCount()
  }
}

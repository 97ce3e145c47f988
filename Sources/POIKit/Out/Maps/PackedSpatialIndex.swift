internal import JSONStreaming
internal import POISQLite

/// Builds an R*Tree of SQLite from its leaves up, which is faster than inserting row by row, and gives full nodes.
///
/// The rows are sorted along a Hilbert curve, so that neighbours share a node. The nodes are written to the tables
/// behind the virtual table.
///
/// Page: sqlite.org/rtree.html; ext/rtree/rtree.c describes nodes and tables; I. Kamel and C. Faloutsos,
/// "On Packing R-trees", 1993
struct PackedSpatialIndex: ~Copyable {
  private static let memoryBudget = 1 << 25

  /// The number of the root's node.
  private static let root: Int64 = 1

  /// The bytes before the cells of a node, and of a cell.
  private static let headSize = 4
  private static let cellSize = 24

  private let nodeSize: Int
  private var entries = ExternalSorter<SpatialIndexEntry>(memoryBudget: memoryBudget, folder: nil)
  private var rows = ExternalSorter<IndexedRow>(memoryBudget: memoryBudget, folder: nil)
  private var count = 0

  /// The nodes of the level that was built last, in their order.
  private var level: [Node] = []
  private var nextNumber = root + 1
  private var bytes = GrowableBuffer<UInt8>()
  private var nodeWriter: Statement
  private var parentWriter: Statement
  private var rowWriter: Statement

  private struct Node {
    let number: Int64
    let rectangle: SpatialIndexEntry.Rectangle
  }

  /// Creates the virtual table, with the columns `id`, `minx`, `maxx`, `miny` and `maxy`.
  init(_ table: String, in connection: Connection) throws {
    try connection.execute(
      "CREATE VIRTUAL TABLE \(name: table) USING rtree(id, minx, maxx, miny, maxy)")
    let size = try connection.integer(
      "SELECT length(data) FROM \(name: table + "_node") WHERE nodeno = \(Self.root)")
    let node = try connection.prepare(
      "INSERT OR REPLACE INTO \(name: table + "_node") (nodeno, data) VALUES (?1, ?2)")
    let parent = try connection.prepare(
      "INSERT INTO \(name: table + "_parent") (nodeno, parentnode) VALUES (?1, ?2)")
    let row = try connection.prepare(
      "INSERT INTO \(name: table + "_rowid") (rowid, nodeno) VALUES (?1, ?2)")
    nodeSize = Int(size ?? 0)
    nodeWriter = node
    parentWriter = parent
    rowWriter = row
  }

  /// Adds a row. Its envelope is indexable.
  mutating func add(row: Int64, _ envelope: Envelope) throws {
    try entries.append(SpatialIndexEntry(row: row, envelope))
    count += 1
  }

  /// Writes the tree.
  consuming func finish() throws {
    guard count > 0 else { return }
    try entries.finish()
    var depth = 0
    try writeLevel(depth, cellCount: count)
    while level.count > 1 {
      depth += 1
      try writeLevel(depth, cellCount: level.count)
    }
    try rows.finish()
    while let entry = try rows.next() {
      try rowWriter.bind(1, integer: entry.row)
      try rowWriter.bind(2, integer: entry.node)
      try rowWriter.run()
    }
  }

  /// Writes the nodes of a level: of the rows if `depth` is 0, else of the nodes of the level below.
  private mutating func writeLevel(_ depth: Int, cellCount: Int) throws {
    let cellsPerNode = (nodeSize - Self.headSize) / Self.cellSize
    let nodeCount = (cellCount + cellsPerNode - 1) / cellsPerNode
    let children = level
    level.removeAll()
    var cell = 0
    for place in 1...nodeCount {
      let number = nodeCount == 1 ? Self.root : nextNumber
      nextNumber += 1
      let end = place * cellCount / nodeCount
      bytes.removeAll()
      append(UInt16(nodeCount == 1 ? depth : 0))
      append(UInt16(end - cell))
      var sum: SpatialIndexEntry.Rectangle?
      while cell < end {
        let rectangle =
          try depth == 0 ? appendRow(to: number) : append(children[cell], to: number)
        append(rectangle)
        sum?.include(rectangle)
        sum = sum ?? rectangle
        cell += 1
      }
      bytes.append(repeating: 0, count: nodeSize - bytes.count)
      try nodeWriter.bind(1, integer: number)
      try nodeWriter.bind(2, blob: bytes)
      try nodeWriter.run()
      if let sum { level.append(Node(number: number, rectangle: sum)) }
    }
  }

  private mutating func appendRow(to node: Int64) throws -> SpatialIndexEntry.Rectangle {
    guard let entry = try entries.next() else { preconditionFailure("there are \(count) rows") }
    try rows.append(IndexedRow(row: entry.row, node: node))
    append(UInt64(bitPattern: entry.row))
    return entry.rectangle
  }

  private mutating func append(
    _ child: Node, to node: Int64
  ) throws -> SpatialIndexEntry.Rectangle {
    try parentWriter.bind(1, integer: child.number)
    try parentWriter.bind(2, integer: node)
    try parentWriter.run()
    append(UInt64(bitPattern: child.number))
    return child.rectangle
  }

  private mutating func append(_ rectangle: SpatialIndexEntry.Rectangle) {
    append(rectangle.west.bitPattern)
    append(rectangle.east.bitPattern)
    append(rectangle.south.bitPattern)
    append(rectangle.north.bitPattern)
  }

  /// Appends a number, the most significant byte first.
  private mutating func append<Word: FixedWidthInteger>(_ word: Word) {
    for byte in (0..<Word.bitWidth / 8).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: word >> (8 * byte)))
    }
  }
}

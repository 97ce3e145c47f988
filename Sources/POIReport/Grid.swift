/// Counts of points in a plane, in bounded memory.
///
/// The cells are squares, whose size is a power of two. Their indices wrap around: cell (x, y) is stored at (x modulo
/// width, y modulo height). If the points span more cells, these are united to larger ones.
struct Grid {
  /// The indices of the cells that the points span.
  private(set) var (columns, rows) = (0..<0, 0..<0)
  /// The length of a cell is 2 to the power of this.
  private var exponent: Int {
    didSet { scale = Double(sign: .plus, exponent: -exponent, significand: 1) }
  }
  /// The number of cells in a length of 1.
  private var scale: Double

  private let width: Int
  private let height: Int
  private var counts: [UInt32]

  /// - Parameters:
  ///   - width, height: the largest number of cells in a row and in a column.
  ///   - exponent: the length of the smallest cell is 2 to the power of this.
  init(width: Int, height: Int, exponent: Int) {
    (self.width, self.height, self.exponent) = (width, height, exponent)
    scale = Double(sign: .plus, exponent: -exponent, significand: 1)
    counts = [UInt32](repeating: 0, count: width * height)
  }

  var cellLength: Double { 1 / scale }

  /// The number of points in a cell of `columns` and `rows`.
  subscript(x: Int, y: Int) -> UInt32 { counts[place(x, y)] }

  /// Indices have at most 40 bits, so they are positive with this many rows or columns.
  private static let bias = 1 << 41

  private func place(_ x: Int, _ y: Int) -> Int {
    (height == 1 ? 0 : (y + height * Self.bias) % height * width) + (x + width * Self.bias) % width
  }

  /// Counts a point, whose coordinates are finite.
  mutating func insert(_ x: Double, _ y: Double = 0) {
    if max(x.magnitude, y.magnitude) * scale >= 0x1p40 {
      coarsen(by: Int(max(x.magnitude, y.magnitude).exponent) - 39 - exponent)
    }
    let (column, row) = (index(x), index(y))
    if columns.contains(column), rows.contains(row) {
      counts[place(column, row)] += 1
    } else {
      insert(column, row)
    }
  }

  /// Counts a point in a cell that no point was in, and makes room for it.
  private mutating func insert(_ column: Int, _ row: Int) {
    let (wider, higher) = (Self.widened(columns, to: column), Self.widened(rows, to: row))
    var step = 0
    while Self.coarser(wider, step).count > width || Self.coarser(higher, step).count > height {
      step += 1
    }
    if step > 0 { coarsen(by: step) }
    (columns, rows) = (Self.coarser(wider, step), Self.coarser(higher, step))
    counts[place(column >> step, row >> step)] += 1
  }

  private func index(_ coordinate: Double) -> Int { Int((coordinate * scale).rounded(.down)) }

  private mutating func coarsen(by step: Int) {
    let old = self
    counts = [UInt32](repeating: 0, count: counts.count)
    for y in rows {
      for x in columns { counts[place(x >> step, y >> step)] += old[x, y] }
    }
    exponent += step
    (columns, rows) = (Self.coarser(columns, step), Self.coarser(rows, step))
  }

  private static func widened(_ range: Range<Int>, to index: Int) -> Range<Int> {
    range.isEmpty
      ? index..<index + 1 : min(range.lowerBound, index)..<max(range.upperBound, index + 1)
  }

  private static func coarser(_ range: Range<Int>, _ step: Int) -> Range<Int> {
    range.isEmpty ? range : range.lowerBound >> step..<((range.upperBound - 1) >> step) + 1
  }
}

/// The rectangle of a row on its way into a spatial index, ordered along a Hilbert curve.
struct SpatialIndexEntry: SortableEntry {
  static let wordCount = 2

  /// The place of the rectangle's middle on the curve.
  private let place: UInt64
  let row: Int64
  let rectangle: Rectangle

  /// A rectangle as an R*Tree holds it: its edges are not inside the envelope.
  ///
  /// C functions: `rtreeValueDown` and `rtreeValueUp` in ext/rtree/rtree.c, whose rounding it repeats.
  struct Rectangle: BitwiseCopyable {
    var west: Float
    var east: Float
    var south: Float
    var north: Float

    init(_ envelope: Envelope) {
      west = Self.roundedDown(envelope.west)
      east = -Self.roundedDown(-envelope.east)
      south = Self.roundedDown(envelope.south)
      north = -Self.roundedDown(-envelope.north)
    }

    private static func roundedDown(_ value: Double) -> Float {
      let nearest = Float(value)
      let step = 1.0 / 8_388_608
      return Double(nearest) > value ? Float(value * (value < 0 ? 1 + step : 1 - step)) : nearest
    }

    mutating func include(_ other: Rectangle) {
      west = min(west, other.west)
      east = max(east, other.east)
      south = min(south, other.south)
      north = max(north, other.north)
    }
  }

  init(row: Int64, _ envelope: Envelope) {
    self.row = row
    rectangle = Rectangle(envelope)
    place = Self.hilbertPlace(
      Self.coordinate((envelope.west + envelope.east) / 2, from: -180, to: 180),
      Self.coordinate((envelope.south + envelope.north) / 2, from: -90, to: 90))
  }

  func word(_ index: Int) -> UInt64 { index == 0 ? place : UInt64(bitPattern: row) }

  /// A coordinate as a part of 2^32; values outside the range get its ends.
  private static func coordinate(_ value: Double, from least: Double, to most: Double) -> UInt32 {
    let part = (value - least) / (most - least)
    return UInt32(min(max(part, 0), 1) * Double(UInt32.max))
  }

  /// The place of a point on the Hilbert curve that fills the square.
  ///
  /// Page: J. Skilling, "Programming the Hilbert curve", 2004
  private static func hilbertPlace(_ x: UInt32, _ y: UInt32) -> UInt64 {
    var (x, y) = (x, y)
    var place: UInt64 = 0
    var side: UInt32 = 1 << 31
    while side > 0 {
      let right = x & side != 0
      let upper = y & side != 0
      place = place << 2 | (right ? (upper ? 2 : 3) : (upper ? 1 : 0))
      if !upper {
        if right {
          x = ~x
          y = ~y
        }
        swap(&x, &y)
      }
      side >>= 1
    }
    return place
  }
}

/// A row and the node of a spatial index that holds it, ordered by row.
struct IndexedRow: SortableEntry {
  static let wordCount = 1
  let row: Int64
  let node: Int64

  func word(_ index: Int) -> UInt64 { UInt64(bitPattern: row) ^ 1 << 63 }
}

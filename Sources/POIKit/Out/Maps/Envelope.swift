/// The least rectangle around a geometry, in its coordinates.
struct Envelope: BitwiseCopyable {
  var west = Double.infinity
  var east = -Double.infinity
  var south = Double.infinity
  var north = -Double.infinity

  var isEmpty: Bool { !(west <= east && south <= north) }

  /// Whether a spatial index, whose numbers have 32 bits, can hold it. `ShippedIndexes` has the limit in SQL, too.
  var isIndexable: Bool {
    !isEmpty && west >= -1e38 && east <= 1e38 && south >= -1e38 && north <= 1e38
  }

  mutating func include(longitude: Double, latitude: Double) {
    west = min(west, longitude)
    east = max(east, longitude)
    south = min(south, latitude)
    north = max(north, latitude)
  }

  mutating func include(_ other: Envelope) {
    west = min(west, other.west)
    east = max(east, other.east)
    south = min(south, other.south)
    north = max(north, other.north)
  }
}

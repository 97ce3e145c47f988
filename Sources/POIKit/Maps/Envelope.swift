/// The least rectangle around a geometry, in its coordinates.
struct Envelope: BitwiseCopyable {
  var west = Double.infinity
  var east = -Double.infinity
  var south = Double.infinity
  var north = -Double.infinity

  var isEmpty: Bool { !(west <= east && south <= north) }

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

/// A rectangle of longitudes and latitudes, in WGS 84 degrees. Its edges belong to it.
public struct GeographicBox: Sendable, Hashable {
  /// The least longitude. It is greater than `east` if the rectangle crosses the 180th meridian.
  public var west: Double

  /// The least latitude.
  public var south: Double

  /// The greatest longitude.
  public var east: Double

  /// The greatest latitude.
  public var north: Double

  /// A rectangle.
  public init(west: Double, south: Double, east: Double, north: Double) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// Whether something of an envelope is in the rectangle.
  func touches(_ envelope: Envelope) -> Bool {
    guard envelope.south <= north, envelope.north >= south else { return false }
    return west <= east
      ? envelope.west <= east && envelope.east >= west
      : envelope.west <= east || envelope.east >= west
  }
}

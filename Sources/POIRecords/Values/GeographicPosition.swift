/// Checks pairs of latitude and longitude, in WGS 84 degrees.
package enum GeographicPosition {
  /// A message about an implausible position; nil if the position is valid.
  package static func issueMessage(latitude: Double, longitude: Double) -> String? {
    if latitude == 0, longitude == 0 {
      return "latitude and longitude are both 0, a point in the open sea"
    }
    if isPosition(latitude, longitude) { return nil }
    let position = "latitude \(latitude), longitude \(longitude)"
    return isPosition(longitude, latitude)
      ? "\(position) is not a position on Earth, but would be one if swapped"
      : "\(position) is not a position on Earth"
  }

  private static func isPosition(_ latitude: Double, _ longitude: Double) -> Bool {
    latitude.magnitude <= 90 && longitude.magnitude <= 180
  }
}

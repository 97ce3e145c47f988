/// Checks pairs of latitude and longitude, in WGS 84 degrees.
package enum GeographicPosition {
  /// A message about an implausible position; nil if the position is valid.
  package static func flaw(latitude: Double, longitude: Double) -> String? {
    if latitude == 0, longitude == 0 {
      return "latitude and longitude are both 0, where there is no place but the open sea"
    }
    if isPosition(latitude, longitude) { return nil }
    let position = "latitude \(latitude), longitude \(longitude)"
    return isPosition(longitude, latitude)
      ? "\(position) is no position on Earth, but is one when the two are swapped"
      : "\(position) is no position on Earth"
  }

  private static func isPosition(_ latitude: Double, _ longitude: Double) -> Bool {
    latitude.magnitude <= 90 && longitude.magnitude <= 180
  }
}

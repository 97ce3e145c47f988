/// What decides between different records with one key and one timestamp, or without timestamps.
public enum TieRule: String, Sendable, Hashable, CaseIterable {
  /// The greater digest wins. The result does not depend on the order, so it is the same on every device.
  case digest

  /// The record that comes later wins. The result depends on the order of the deliveries.
  case later
}

/// When the value of an attribute was set, by the timestamp of the record that named it.
enum PropertyTime: Comparable {
  /// No record named the attribute.
  case never
  /// A record without a timestamp did.
  case untimed
  /// Microseconds since 1970-01-01T00:00:00Z.
  case at(Int64)
}

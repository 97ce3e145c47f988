/// The time of an attribute's value: the timestamp of the record that named it.
enum PropertyTime: Comparable {
  /// No record named the attribute.
  case never
  /// A record without a timestamp named it.
  case untimed
  /// Microseconds since 1970-01-01T00:00:00Z.
  case at(Int64)
}

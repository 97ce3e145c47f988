extension Instant {
  /// The years 0000 to 9999, which RFC 3339 can write, in microseconds since 1970-01-01T00:00:00Z.
  package static let range: ClosedRange<Int64> =
    -62_167_219_200_000_000...253_402_300_799_999_999
}

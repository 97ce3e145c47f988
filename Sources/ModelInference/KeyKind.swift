/// How an attribute can identify a record, the best first.
enum KeyKind: Int, CaseIterable {
  /// The source's own identifier, such as `id`.
  case ownIdentifier
  /// A name that ends like an identifier, such as `station_id`. It can also refer to another record.
  case namedIdentifier
  /// The name `code`.
  case code
  /// Any other name: only the values suggest that it is a key.
  case other
}

/// The bytes of one run, taken from the front.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A number below `limit` from the next byte.
  mutating func choice(_ limit: Int) -> Int { Int(byte()) % limit }

  /// The next two bytes as a number; the end counts as zeros.
  mutating func word() -> Int { Int(byte()) << 8 | Int(byte()) }

  /// All that is left.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// All that is left as text; bytes that are no UTF-8 become replacement characters.
  mutating func text() -> String { String(decoding: remainder(), as: UTF8.self) }
}

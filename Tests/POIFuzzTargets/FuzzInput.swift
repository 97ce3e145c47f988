/// The bytes of one run, consumed from the front.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A number below `limit` from the next byte.
  mutating func choice(_ limit: Int) -> Int { Int(byte()) % limit }

  /// The next two bytes, big-endian; missing bytes are 0.
  mutating func word() -> Int { Int(byte()) << 8 | Int(byte()) }

  /// All remaining bytes.
  mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// The remaining bytes as text; ill-formed UTF-8 becomes replacement characters.
  mutating func text() -> String { String(decoding: remainder(), as: UTF8.self) }
}

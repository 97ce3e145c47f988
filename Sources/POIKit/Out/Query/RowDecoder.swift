internal import POIRecords

/// Decodes a value of a program's type from a row.
struct RowDecoder: Decoder {
  let value: RowValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Whether a `Date` decodes itself. It asks for the seconds since the start of 2001.
  private var isDate = false

  init(_ value: RowValue, codingPath: [any CodingKey] = []) {
    self.value = value
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch(type, "an object") }
    return KeyedDecodingContainer(Members(members: members, decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([RowValue].self, "an array") }
    return Elements(elements: elements, decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  /// Decodes a value of any type, the toolkit's own types directly.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == RowValue.self, let value = value as? Value { return value }
    if type == Instant.self, case .instant(let instant) = value, let instant = instant as? Value {
      return instant
    }
    var decoder = self
    decoder.isDate = RowEncoder.isDate(type)
    return try Value(from: decoder)
  }

  func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath,
      debugDescription: "\(expected) is expected, and it is \(value.typeName)")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  /// What a message says about an error of decoding: where it is, and what is wrong.
  static func message(of error: any Error) -> String {
    let (path, text): ([any CodingKey], String) =
      switch error {
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        (context.codingPath, context.debugDescription)
      case EncodingError.invalidValue(_, let context):
        (context.codingPath, context.debugDescription)
      case DecodingError.keyNotFound(let key, let context):
        (context.codingPath + [key], "the model has no such attribute")
      default: ([], "\(error)")
      }
    guard !path.isEmpty else { return text }
    return path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
      + ": " + text
  }

  // MARK: Scalars

  func decode(_ type: Bool.Type) throws -> Bool {
    switch value {
    case .boolean(let boolean): return boolean
    case .integer(0): return false
    case .integer(1): return true
    default: throw mismatch(type, "a boolean")
    }
  }

  func decode(_ type: String.Type) throws -> String {
    switch value {
    case .text(let text): return text
    case .instant(let instant): return instant.description
    default: throw mismatch(type, "a text")
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    if isDate {
      // In an attribute that is kept as JSON a moment is text.
      guard
        let instant = value.instant ?? value.text.flatMap({ Instant(rfc3339: $0.utf8Span.span) })
      else { throw mismatch(type, "an instant") }
      return Double(instant.microseconds) / 1_000_000 - RowDecoder.referenceDate
    }
    guard let real = value.real else { throw mismatch(type, "a number") }
    return real
  }

  /// The seconds from the start of 1970 to the start of 2001, both in UTC.
  static let referenceDate = 978_307_200.0

  func decode<Integer: FixedWidthInteger>(integer type: Integer.Type) throws -> Integer {
    let number: Int64? =
      switch value {
      case .integer(let integer): integer
      case .instant(let instant): instant.microseconds
      case .real(let real): Int64(exactly: real)
      default: nil
      }
    guard let number, let integer = Integer(exactly: number) else {
      throw mismatch(type, "an integer of the type \(type)")
    }
    return integer
  }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: RowValue]
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).value == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try member(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }

  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

  private func member(_ key: Key) throws -> RowDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "it is missing"))
    }
    return RowDecoder(value, codingPath: codingPath + [key])
  }
}

/// The elements of an array, one after the other.
private struct Elements: UnkeyedDecodingContainer {
  let elements: [RowValue]
  let decoder: RowDecoder
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  init(elements: [RowValue], decoder: RowDecoder) {
    self.elements = elements
    self.decoder = decoder
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try element().decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try element().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try element().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try element()
    currentIndex += 1
    return decoder
  }

  private func element() throws -> RowDecoder {
    let path = codingPath + [Place(intValue: currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        RowValue.self,
        DecodingError.Context(codingPath: path, debugDescription: "the array has no more elements"))
    }
    return RowDecoder(elements[currentIndex], codingPath: path)
  }

  /// The index of an element as a key.
  private struct Place: CodingKey {
    let intValue: Int?
    var stringValue: String { "\(intValue ?? 0)" }

    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
  }
}

/// One value.
private struct Single: SingleValueDecodingContainer {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.decode(type) }
  func decode(_ type: String.Type) throws -> String { try decoder.decode(type) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.decode(type) }
  func decode(_ type: Float.Type) throws -> Float { Float(try decoder.decode(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.decode(integer: type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.decode(integer: type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.decode(integer: type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.decode(integer: type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.decode(integer: type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.decode(integer: type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.decode(integer: type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.decode(integer: type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.decode(integer: type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.decode(integer: type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}

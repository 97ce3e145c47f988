internal import POIRecords

extension ImportSource {
  /// Values of a program's type, each of them a record. They are encoded before the import begins.
  ///
  /// The members of the type have the names that the model expects in JSON. An `Instant` or a `Date` is
  /// RFC 3339 text; a URL is a `String` member. Give each import a name of its own: an unfinished one is
  /// found by it.
  ///
  /// - Throws: what a value throws when it is encoded; `EncodingError` for a number or moment that JSON
  ///   cannot write.
  public static func records<Value: Encodable>(
    _ values: [Value], named name: String = "records"
  ) throws -> ImportSource {
    var text: [UInt8] = []
    for value in values {
      text += try RowEncoder.encode(value).json.description.utf8
      text.append(UInt8(ascii: "\n"))
    }
    return .bytes(text, named: name)
  }
}

/// Encodes a value of a program's type as a value of a row.
final class RowEncoder: Encoder {
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// What has been encoded so far.
  private var members: [String: RowEncoder]?
  private var elements: [RowEncoder]?
  var single: RowValue?

  /// Whether an optional member without a value is null. If not, it is omitted.
  fileprivate let encodesNil: Bool

  fileprivate init(codingPath: [any CodingKey] = [], encodesNil: Bool) {
    self.codingPath = codingPath
    self.encodesNil = encodesNil
  }

  static func encode<Value: Encodable>(
    _ value: Value, encodingNil encodesNil: Bool = false
  ) throws -> RowValue {
    let encoder = RowEncoder(encodesNil: encodesNil)
    try encoder.encode(value)
    return encoder.value
  }

  /// The encoded value; an object without members if nothing was encoded.
  private var value: RowValue {
    if let single { return single }
    if let elements { return .array(elements.map(\.value)) }
    return .object((members ?? [:]).mapValues(\.value))
  }

  fileprivate func member(_ key: any CodingKey) -> RowEncoder {
    let encoder = RowEncoder(codingPath: codingPath + [key], encodesNil: encodesNil)
    members = members ?? [:]
    members?[key.stringValue] = encoder
    return encoder
  }

  fileprivate func element() -> RowEncoder {
    let encoder = RowEncoder(codingPath: codingPath, encodesNil: encodesNil)
    elements = elements ?? []
    elements?.append(encoder)
    return encoder
  }

  fileprivate var elementCount: Int { elements?.count ?? 0 }

  /// Encodes a value of any type, moments as such.
  fileprivate func encode<Value: Encodable>(_ value: Value) throws {
    if let instant = value as? Instant {
      single = .instant(instant)
      return
    }
    try value.encode(to: self)
    // Foundation, which the toolkit does not link, has a `Date` encode the seconds since the start of 2001.
    if let seconds = single?.real, RowEncoder.isDate(Value.self) {
      let microseconds = ((seconds + RowDecoder.referenceDate) * 1_000_000).rounded()
      guard let microseconds = Int64(exactly: microseconds), Instant.range.contains(microseconds)
      else {
        throw EncodingError.invalidValue(
          value,
          EncodingError.Context(
            codingPath: codingPath, debugDescription: "RFC 3339 has the years 0000 to 9999"))
      }
      single = .instant(Instant(microseconds: microseconds))
    }
  }

  static func isDate(_ type: Any.Type) -> Bool {
    ["Foundation.Date", "FoundationEssentials.Date"].contains(String(reflecting: type))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    members = members ?? [:]
    return KeyedEncodingContainer(EncodedMembers(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    elements = elements ?? []
    return EncodedElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { EncodedValue(encoder: self) }
}

private struct EncodedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.member(key).single = .null }

  private func encode<Value: Encodable>(optional value: Value?, _ key: Key) throws {
    if let value {
      try encode(value, forKey: key)
    } else if encoder.encodesNil {
      encodeNil(forKey: key)
    }
  }

  // The compiler calls the form of the member's type.
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encode(optional: value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
    try encode(optional: value, key)
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
    try encode(optional: value, key)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try encoder.member(key).encode(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.member(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder }

  func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}

private struct EncodedElements: UnkeyedEncodingContainer {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.elementCount }

  func encodeNil() { encoder.element().single = .null }

  func encode<Value: Encodable>(_ value: Value) throws { try encoder.element().encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    encoder.element().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.element().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.element() }
}

private struct EncodedValue: SingleValueEncodingContainer {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.single = .null }
  func encode(_ value: Bool) { encoder.single = .boolean(value) }
  func encode(_ value: String) { encoder.single = .text(value) }
  func encode(_ value: Float) throws { try encode(Double(value)) }
  func encode(_ value: Int) { encoder.single = .integer(Int64(value)) }
  func encode(_ value: Int8) { encoder.single = .integer(Int64(value)) }
  func encode(_ value: Int16) { encoder.single = .integer(Int64(value)) }
  func encode(_ value: Int32) { encoder.single = .integer(Int64(value)) }
  func encode(_ value: Int64) { encoder.single = .integer(value) }
  func encode(_ value: UInt) throws { try encode(UInt64(value)) }
  func encode(_ value: UInt8) { encoder.single = .integer(Int64(value)) }
  func encode(_ value: UInt16) { encoder.single = .integer(Int64(value)) }
  func encode(_ value: UInt32) { encoder.single = .integer(Int64(value)) }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }

  func encode(_ value: UInt64) throws {
    guard let integer = Int64(exactly: value) else {
      throw error(value, "a column holds integers up to \(Int64.max)")
    }
    encoder.single = .integer(integer)
  }

  func encode(_ value: Double) throws {
    guard value.isFinite else { throw error(value, "JSON has no number for it") }
    encoder.single = .real(value)
  }

  private func error(_ value: Any, _ message: String) -> EncodingError {
    .invalidValue(
      value, EncodingError.Context(codingPath: codingPath, debugDescription: message))
  }
}

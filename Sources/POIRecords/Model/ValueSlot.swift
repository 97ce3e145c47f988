/// The value of one attribute of one record in 16 bytes; text is in the batch's arena.
@frozen
@usableFromInline
package struct ValueSlot: BitwiseCopyable, Sendable {
  /// What a slot holds.
  @frozen
  @usableFromInline
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// The record does not name the attribute.
    case absent
    /// The record says `null`.
    case null
    /// A 64-bit integer, which is also how booleans and instants are kept.
    case integer
    case real
    /// UTF-8 text in the arena.
    case text
    /// A related row with its own slots, or an array of rows in the batch's `children`.
    case related
  }

  @usableFromInline let bits: UInt64
  @usableFromInline let length: UInt32
  @usableFromInline package let kind: Kind

  /// Whether the value is the default of an attribute that the record does not name.
  @usableFromInline package private(set) var isDefault = false

  private init(kind: Kind, bits: UInt64 = 0, length: UInt32 = 0) {
    self.kind = kind
    self.bits = bits
    self.length = length
  }

  static let absent = ValueSlot(kind: .absent)
  package static let null = ValueSlot(kind: .null)
  package static let related = ValueSlot(kind: .related)

  package static func integer(_ value: Int64) -> ValueSlot {
    ValueSlot(kind: .integer, bits: UInt64(bitPattern: value))
  }

  package static func real(_ value: Double) -> ValueSlot {
    ValueSlot(kind: .real, bits: value.bitPattern)
  }

  package static func text(_ range: Range<Int>) -> ValueSlot {
    ValueSlot(kind: .text, bits: UInt64(range.lowerBound), length: UInt32(range.count))
  }

  /// Text of fewer than 2^32 bytes, without overflow checks.
  @inline(__always)
  static func text(at start: Int, count: Int) -> ValueSlot {
    ValueSlot(
      kind: .text, bits: UInt64(truncatingIfNeeded: start),
      length: UInt32(truncatingIfNeeded: count))
  }

  /// The same value, marked as a default.
  package var asDefault: ValueSlot {
    var value = self
    value.isDefault = true
    return value
  }

  @inlinable
  package var integer: Int64 { Int64(bitPattern: bits) }

  @inlinable
  package var real: Double { Double(bitPattern: bits) }

  /// The value of an `integer` or `real` slot.
  package var number: Number? {
    switch kind {
    case .integer: .integer(integer)
    case .real: .real(real)
    case .absent, .null, .text, .related: nil
    }
  }

  /// The range of a `text` slot in the arena.
  @inlinable
  package var textRange: Range<Int> { Int(bits)..<(Int(bits) + Int(length)) }

  @unsafe
  @inline(__always)
  func text(in arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    precondition(bits &+ UInt64(length) <= UInt64(truncatingIfNeeded: arena.count))
    return unsafe UnsafeRawBufferPointer(
      start: arena.baseAddress.unsafelyUnwrapped + Int(truncatingIfNeeded: bits),
      count: Int(length))
  }

  /// The byte count of a `text` slot; 0 for other kinds.
  @inlinable
  package var textCount: Int { Int(length) }

  /// Whether the column gets NULL.
  @inlinable
  package var isNull: Bool { kind == .absent || kind == .null }

  /// Whether the record names the attribute.
  @inlinable
  package var isNamed: Bool { kind != .absent && !isDefault }
}

internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// A copy of a column's value that is not NULL.
enum StoredValue: Hashable {
  case integer(Int64)
  case real(Double)
  /// UTF-8.
  case text([UInt8])
  case blob([UInt8])

  /// The value of a column; nil if it is NULL.
  init?(_ column: Int, of statement: borrowing Statement) {
    switch statement.value(column) {
    case .null: return nil
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let text): self = .text(StoredValue.copy(text))
    case .blob(let blob): self = .blob(StoredValue.copy(blob))
    }
  }

  private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
    unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// The approximate size in bytes.
  var byteCount: Int {
    switch self {
    case .integer, .real: 8
    case .text(let bytes), .blob(let bytes): bytes.count
    }
  }

  /// The number of Unicode scalars of a text; nil for other values.
  var scalarCount: Int? {
    guard case .text(let bytes) = self else { return nil }
    return bytes.count { $0 & 0xc0 != 0x80 }
  }

  /// The number; nil for other values.
  var real: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .text, .blob: nil
    }
  }

  /// Whether both are numbers and this one is less.
  func isLess(than other: StoredValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    default: false
    }
  }

  /// Whether this value comes first in a total order: by type, then by bits or bytes. Only equal
  /// values tie.
  func precedes(_ other: StoredValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left.bitPattern < right.bitPattern
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      left.lexicographicallyPrecedes(right)
    default: typeOrder < other.typeOrder
    }
  }

  private var typeOrder: Int {
    switch self {
    case .integer: 0
    case .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// - Parameter index: the number of the parameter, from 1.
  func bind(to statement: inout Statement, at index: Int) throws {
    switch self {
    case .integer(let integer): try statement.bind(index, integer: integer)
    case .real(let real): try statement.bind(index, real: real)
    case .text(let text): try statement.bind(index, text: text.span)
    case .blob(let blob): try statement.bind(index, blob: blob.span)
    }
  }
}

extension Statement {
  /// Binds a copy of a buffer as a blob.
  mutating func bind(_ index: Int, blob: borrowing GrowableBuffer<UInt8>) throws {
    try bind(index, blob: blob.span)
  }

  /// Binds a copy of a buffer as a text.
  mutating func bind(_ index: Int, text: borrowing GrowableBuffer<UInt8>) throws {
    try bind(index, text: text.span)
  }

  /// The value of a column as people read it, a blob as in SQL; nil for NULL.
  func displayText(_ column: Int) -> String? {
    switch columnType(column) {
    case .null: return nil
    case .integer, .real, .text: return text(column)
    case .blob:
      let bytes = bytes(column)
      var text = "x'"
      for index in bytes.indices {
        let digits = String(bytes[index], radix: 16)
        text += digits.count == 1 ? "0" + digits : digits
      }
      return text + "'"
    }
  }
}

extension CanonicalContent {
  /// Adds the value of a column in the statement's current row; NULL adds no bytes.
  ///
  /// - Parameters:
  ///   - column: the column's place in the result, from 0.
  ///   - statement: a statement with a current row.
  ///   - nameTag: the tag of the name under which the value is content.
  mutating func append(column: Int, of statement: borrowing Statement, nameTag: UInt64) {
    switch statement.value(column) {
    case .integer(let integer): append(integer: integer, nameTag: nameTag)
    case .real(let real): append(real: real, nameTag: nameTag)
    case .text(let text): append(text: text, nameTag: nameTag)
    case .blob(let blob): append(blob: blob, nameTag: nameTag)
    case .null: break
    }
  }
}

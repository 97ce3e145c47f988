/// The bytes of the input that a scan can look at, addressed by their offsets in the input.
struct ScanWindow: ~Escapable {
  /// The answer to a question about bytes of which some may not have come yet.
  enum Answer: Equatable {
    case yes, no, unknown
  }

  private let held: Span<UInt8>
  let startOffset: Int
  let isComplete: Bool

  @_lifetime(copy bytes)
  init(bytes: Span<UInt8>, startOffset: Int, isComplete: Bool) {
    held = bytes
    self.startOffset = startOffset
    self.isComplete = isComplete
  }

  var endOffset: Int { startOffset + held.count }

  subscript(offset: Int) -> UInt8 { held[offset - startOffset] }

  func bytes(_ range: Range<Int>) -> [UInt8] { range.map { self[$0] } }
}

extension ScanWindow {
  /// A byte that is not white space.
  private enum Significant {
    case at(Int)
    /// There is none near enough.
    case none
    case unknown
  }

  /// The first byte from `offset` on that is not white space.
  private func significant(from offset: Int) -> Significant {
    var next = offset
    while next < endOffset {
      guard next - offset < SiblingScanner.lookaround else { return .none }
      guard Self.isWhiteSpace(self[next]) else { return .at(next) }
      next += 1
    }
    return isComplete ? .none : .unknown
  }

  /// Whether anything but white space stands near enough from `offset` on.
  func isFollowed(behind offset: Int) -> Answer {
    switch significant(from: offset) {
    case .at: .yes
    case .none: .no
    case .unknown: .unknown
    }
  }

  /// The last byte of a range that is not white space.
  func lastSignificantByte(in range: Range<Int>) -> UInt8? {
    for offset in range.reversed() {
      guard offset >= startOffset, range.upperBound - offset <= SiblingScanner.lookaround else {
        return nil
      }
      if !Self.isWhiteSpace(self[offset]) { return self[offset] }
    }
    return nil
  }

  /// Whether the bytes at `offset` are `opener` and, if a name is given, then that name.
  ///
  /// Without a name the answer is no: nothing tells the sibling from a nested value.
  func beginsWith(_ opener: UInt8, _ name: [UInt8]?, at offset: Int) -> Answer {
    guard let name, opener == UInt8(ascii: "{") else { return .no }
    switch significant(from: offset + 1) {
    case .unknown: return .unknown
    case .at(let quote) where self[quote] == UInt8(ascii: "\""): return isName(name, at: quote)
    case .at, .none: return .no
    }
  }

  /// Whether the string at `quote` is `name`.
  private func isName(_ name: [UInt8], at quote: Int) -> Answer {
    for (index, byte) in (name + [UInt8(ascii: "\"")]).enumerated() {
      guard quote + 1 + index < endOffset else { return isComplete ? .no : .unknown }
      guard self[quote + 1 + index] == byte else { return .no }
    }
    return .yes
  }

  /// Whether a member begins at `quote` whose value begins with `opener` and, in it, with the name.
  func isMember(withValue opener: UInt8, _ name: [UInt8]?, at quote: Int) -> Answer {
    var offset = quote + 1
    while offset < endOffset, self[offset] != UInt8(ascii: "\"") {
      offset += self[offset] == UInt8(ascii: "\\") ? 2 : 1
      guard offset - quote <= SiblingScanner.lookaround else { return .no }
    }
    for byte in [UInt8(ascii: ":"), opener] {
      switch significant(from: offset + 1) {
      case .unknown: return .unknown
      case .at(let next) where self[next] == byte: offset = next
      case .at, .none: return .no
      }
    }
    return beginsWith(opener, name, at: offset)
  }

  /// Whether a container of elements can end in front of `offset`.
  ///
  /// - Parameter parents: what is open around the container, the outermost first: true for an
  ///   array, false for an object.
  func canEndContainer(before offset: Int, parents: [Bool]) -> Answer {
    var offset = offset
    var parents = parents[...]
    while true {
      let found: Int
      switch significant(from: offset) {
      case .unknown: return .unknown
      case .none: return .yes
      case .at(let next): found = next
      }
      switch (self[found], parents.last) {
      case (UInt8(ascii: "}"), false), (UInt8(ascii: "]"), true):
        parents.removeLast()
        offset = found + 1
      case (UInt8(ascii: ","), true):
        return .yes
      case (UInt8(ascii: ","), false):
        switch significant(from: found + 1) {
        case .unknown: return .unknown
        case .none: return .yes
        case .at(let name): return self[name] == UInt8(ascii: "\"") ? .yes : .no
        }
      case (UInt8(ascii: "}"), _), (UInt8(ascii: "]"), _), (UInt8(ascii: ","), _):
        return .no
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: ":"), nil), (UInt8(ascii: "-"), nil),
        (UInt8(ascii: "0")...UInt8(ascii: "9"), nil):
        return .no
      case (_, let parent):
        return parent == nil ? .yes : .no
      }
    }
  }

  /// Whether a name comes next, or a colon or number, or a comma and then a name.
  ///
  /// - Parameter isInner: whether the object stands in another one, so that a comma tells nothing.
  func isInObject(behind offset: Int, isInner: Bool) -> Answer {
    switch significant(from: offset) {
    case .unknown: return .unknown
    case .none: return .no
    case .at(let next):
      switch self[next] {
      case UInt8(ascii: "\""), UInt8(ascii: ":"), UInt8(ascii: "-"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        return .yes
      case UInt8(ascii: ",") where !isInner:
        switch significant(from: next + 1) {
        case .unknown: return .unknown
        case .at(let name) where self[name] == UInt8(ascii: "\""): return .yes
        case .at, .none: return .no
        }
      default: return .no
      }
    }
  }

  /// Whether a comma comes next and then a member whose value begins with the opener and the name.
  func isMember(behindComma offset: Int, withValue opener: UInt8?, _ name: [UInt8]?) -> Answer {
    guard let opener else { return .no }
    switch significant(from: offset) {
    case .unknown: return .unknown
    case .at(let comma) where self[comma] == UInt8(ascii: ","):
      switch significant(from: comma + 1) {
      case .unknown: return .unknown
      case .at(let quote) where self[quote] == UInt8(ascii: "\""):
        return isMember(withValue: opener, name, at: quote)
      case .at, .none: return .no
      }
    case .at, .none: return .no
    }
  }

  /// Where the last of the given bytes stands if, apart from white space, the range ends with them.
  func ends(with ending: [UInt8], _ range: Range<Int>) -> Int? {
    var offset = range.upperBound
    var last: Int?
    for byte in ending.reversed() {
      repeat {
        offset -= 1
        guard offset >= range.lowerBound, offset >= startOffset else { return nil }
      } while Self.isWhiteSpace(self[offset])
      guard self[offset] == byte else { return nil }
      if last == nil { last = offset }
    }
    return last
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B)
  }
}

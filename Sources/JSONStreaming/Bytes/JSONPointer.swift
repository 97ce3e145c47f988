/// The path from a JSON document's root to one value in it.
///
/// `/data/stations` names the member `stations` of the member `data`. A step of digits also names
/// an array element. The empty pointer names the whole document.
///
/// Syntax and escapes (`~0` is `~`, `~1` is `/`) follow RFC 6901. A pattern may also have wildcards:
/// the step `*` leads to every member or array element, and `~2` is a `*` in a name.
public struct JSONPointer: Sendable, Hashable {
  /// The steps from the root, unescaped; empty for the whole document.
  public let tokens: [String]

  /// The indexes of the steps that are wildcards; their tokens are `*`.
  public let wildcards: Set<Int>

  /// Creates a pointer from its unescaped steps, and a pattern if any is a wildcard.
  public init(tokens: [String], wildcards: Set<Int> = []) {
    self.tokens = tokens
    self.wildcards = wildcards
  }

  /// Whether the pointer is a path, or a pattern that matches it.
  func leads(to path: [String]) -> Bool {
    tokens.count == path.count
      && tokens.indices.allSatisfy {
        wildcards.contains($0) || tokens[$0].utf8.elementsEqual(path[$0].utf8)
      }
  }

  /// Parses a pattern: a pointer whose steps `*` are wildcards.
  ///
  /// - Parameter text: a pointer in the syntax of RFC 6901, where `~2` is a `*` that is not a wildcard.
  /// - Throws: ``JSONPointerError`` as for a pointer.
  /// - Complexity: O(n) in the length of the text.
  public init(parsingPattern text: String) throws(JSONPointerError) {
    let pointer = try JSONPointer(parsing: text, escapesStar: true)
    let steps = text.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    let wildcards = pointer.tokens.indices.filter { steps[$0].elementsEqual("*".utf8) }
    self.init(tokens: pointer.tokens, wildcards: Set(wildcards))
  }

  /// Parses a pointer in the syntax of RFC 6901, section 3.
  ///
  /// - Parameter text: empty, or a `/` before each step.
  /// - Throws: ``JSONPointerError`` if the text does not begin with `/`, or if a `~` is not
  ///   followed by `0` or `1`.
  /// - Complexity: O(n) in the length of the text.
  public init(parsing text: String) throws(JSONPointerError) {
    try self.init(parsing: text, escapesStar: false)
  }

  /// - Parameter escapesStar: whether `~2` is the escape of `*`.
  private init(parsing text: String, escapesStar: Bool) throws(JSONPointerError) {
    wildcards = []
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.utf8.first == UInt8(ascii: "/") else {
      throw JSONPointerError(code: .missingSlash, text: text)
    }
    var tokens: [String] = []
    for part in text.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
      tokens.append(try Self.unescaped(part, of: text, escapesStar))
    }
    self.tokens = tokens
  }

  private static func unescaped(
    _ part: Substring.UTF8View, of text: String, _ escapesStar: Bool
  ) throws(JSONPointerError) -> String {
    var bytes: [UInt8] = []
    var followsTilde = false
    for byte in part {
      switch (followsTilde, byte) {
      case (true, UInt8(ascii: "0")): bytes.append(UInt8(ascii: "~"))
      case (true, UInt8(ascii: "1")): bytes.append(UInt8(ascii: "/"))
      case (true, UInt8(ascii: "2")) where escapesStar: bytes.append(UInt8(ascii: "*"))
      case (true, _): throw JSONPointerError(code: .invalidEscape, text: text)
      case (false, UInt8(ascii: "~")): break
      case (false, _): bytes.append(byte)
      }
      followsTilde = !followsTilde && byte == UInt8(ascii: "~")
    }
    guard !followsTilde else { throw JSONPointerError(code: .invalidEscape, text: text) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The array index that a step can represent (RFC 6901, section 4); nil if it is not an index.
  package static func arrayIndex(_ step: String) -> Int? {
    let isNumber = step.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    guard isNumber, step == "0" || step.utf8.first != 0x30 else { return nil }
    return Int(step)
  }
}

extension JSONPointer {
  /// Whether both are the same path; names are compared by their Unicode scalars.
  public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    left.wildcards == right.wildcards
      && left.tokens.elementsEqual(right.tokens) { $0.utf8.elementsEqual($1.utf8) }
  }
}

extension JSONPointer {
  /// One step of a pointer with its slash, escaped according to RFC 6901: `/a~1b`.
  package static func step(_ token: String) -> String { JSONPointer(tokens: [token]).description }

  /// Whether `text` is a JSON pointer (RFC 6901, section 3).
  package static func isPointer(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return true }
    guard text[0] == UInt8(ascii: "/") else { return false }
    for index in text.indices where text[index] == UInt8(ascii: "~") {
      guard index + 1 < text.count,
        text[index + 1] == UInt8(ascii: "0") || text[index + 1] == UInt8(ascii: "1")
      else { return false }
    }
    return true
  }
}

extension JSONPointer: CustomStringConvertible {
  /// The pointer in the syntax of RFC 6901.
  public var description: String {
    var text = ""
    for token in tokens {
      text += "/"
      let needsEscape = token.utf8.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
      guard needsEscape else {
        text += token
        continue
      }
      for scalar in token.unicodeScalars {
        switch scalar {
        case "~": text += "~0"
        case "/": text += "~1"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }
}

extension JSONPointer {
  /// The pattern in the syntax of ``init(parsingPattern:)``.
  public var pattern: String {
    tokens.indices.map { index in
      let isStar = tokens[index].utf8.elementsEqual("*".utf8)
      return isStar && !wildcards.contains(index) ? "/~2" : Self.step(tokens[index])
    }.joined()
  }
}

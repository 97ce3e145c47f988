/// Why a text is not a JSON pointer.
public struct JSONPointerError: Error, Sendable, Hashable {
  /// What is wrong.
  public enum Code: Sendable, Hashable {
    /// The text is not empty and does not begin with `/`.
    case missingSlash
    /// A `~` is followed by neither `0` nor `1`.
    case invalidEscape
  }

  /// What is wrong.
  public let code: Code

  /// The text that was given.
  public let text: String
}

extension JSONPointerError: CustomStringConvertible {
  /// What is wrong, the text quoted, and what to write instead.
  public var description: String {
    switch code {
    case .missingSlash:
      "\"\(text)\" is not a JSON pointer: begin it with a slash, as in /data/items"
    case .invalidEscape:
      "\"\(text)\" is not a JSON pointer: write ~ in a name as ~0 and / as ~1"
    }
  }
}

/// Why a text is not a JSON pointer.
public struct JSONPointerError: Error, Sendable, Hashable {
  /// The kind of error.
  public enum Code: Sendable, Hashable {
    /// The text is neither empty nor does it begin with `/`.
    case missingSlash
    /// A `~` is not followed by `0` or `1`.
    case invalidEscape
  }

  /// The kind of error.
  public let code: Code

  /// The rejected text.
  public let text: String
}

extension JSONPointerError: CustomStringConvertible {
  /// The error with the text quoted, and what to write instead.
  public var description: String {
    switch code {
    case .missingSlash:
      "\"\(text)\" is not a JSON pointer: begin it with a slash, as in /data/items"
    case .invalidEscape:
      "\"\(text)\" is not a JSON pointer: write ~ in a name as ~0 and / as ~1"
    }
  }
}

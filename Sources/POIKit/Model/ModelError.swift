/// Why a document is not a model.
public struct ModelError: Error, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  public var message: String

  /// JSON pointer (RFC 6901) to the place in the document; empty for the document itself.
  public var pointer: String

  /// The message with its place.
  public var description: String {
    pointer.isEmpty ? message : "\(pointer): \(message)"
  }
}

internal import JSONStreaming

/// The reason why a document is not a valid model.
public struct ModelError: Error, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  public var message: String

  /// The JSON pointer (RFC 6901) of the place in the document; empty for the document itself.
  public var pointer: String

  package init(message: String, pointer: String) {
    self.message = message
    self.pointer = pointer
  }

  /// The message with its place.
  public var description: String {
    pointer.isEmpty ? message : "\(pointer): \(message)"
  }
}

extension ModelError {
  init(_ error: JSONValueError) {
    switch error {
    case .malformed(let message, let line, let column):
      self.init(message: "line \(line), column \(column): \(message)", pointer: "")
    case .repeatedMember(let name, let object):
      self.init(message: "the member \"\(name)\" occurs twice", pointer: object.description)
    }
  }
}

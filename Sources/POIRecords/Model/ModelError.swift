internal import JSONStreaming

/// Why a document is not a model, or cannot be read as one.
public struct ModelError: Error, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  public var message: String

  /// JSON pointer (RFC 6901) to the place in the document; empty for the document itself.
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
  /// What stands for an error of reading the document.
  init(_ error: JSONValueError) {
    switch error {
    case .malformed(let message, let line, let column):
      self.init(message: "line \(line), column \(column): \(message)", pointer: "")
    case .repeatedMember(let name, let object):
      self.init(message: "the member \"\(name)\" stands twice", pointer: object.description)
    }
  }
}

extension Model {
  /// The document of the model as a file to read and to change: indented JSON text with a line's
  /// end.
  public var printedDocument: String {
    do {
      return try JSONValue(parsing: document).indented() + "\n"
    } catch {
      preconditionFailure("the model's own document: \(error.message)")
    }
  }
}

extension Model {
  /// The document as indented JSON text with a final newline, for editing.
  public var printedDocument: String {
    guard let json = try? JSONValue(parsing: document) else {
      preconditionFailure("a model was read from its document")
    }
    return json.indented() + "\n"
  }
}

extension Model {
  /// The document of the model as a file to read and to change: indented JSON text with a line's
  /// end.
  public var printedDocument: String {
    guard let json = try? JSONValue(parsing: document) else {
      preconditionFailure("a model was read from its document")
    }
    return json.indented() + "\n"
  }
}

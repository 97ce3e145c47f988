extension Model {
  /// The document of the model as a file to read and to change: indented JSON text with a line's
  /// end.
  ///
  /// - Throws: `ModelError` when there is no memory for it.
  public var printedDocument: String {
    get throws(ModelError) {
      do {
        return try JSONValue(parsing: document).indented() + "\n"
      } catch {
        throw ModelError(error)
      }
    }
  }
}

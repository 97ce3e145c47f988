internal import JSONStreaming
internal import POIFiles
internal import POIRecords

extension Model {
  /// The maximum size of a model file in bytes after decompression. It also limits each element.
  private static let longestFileByteCount = 16 << 20

  /// Reads a model from a file or pipe, and decompresses it if necessary.
  ///
  /// - Parameter path: the path, or `-` for standard input; at most 16 MiB after decompression.
  /// - Throws: `ModelError` with the path when the file cannot be read or is not a model.
  public init(contentsOf path: String) throws(ModelError) {
    var text = GrowableBuffer<UInt8>()
    do throws(InputError) {
      var source = try FileSource(path: path)
      while text.count <= Model.longestFileByteCount,
        try text.appendInPlace(
          minimumFree: 1 << 16,
          { (output) throws(InputError) in try source.read(into: &output) }) > 0
      {}
    } catch {
      throw ModelError(message: Model.message(of: error), pointer: "")
    }
    guard text.count <= Model.longestFileByteCount else {
      throw ModelError(
        message:
          "\(path): longer than \(Model.longestFileByteCount >> 20) MiB, the limit for a model",
        pointer: "")
    }
    do {
      try self.init(parsing: text.span)
    } catch {
      throw ModelError(message: "\(path): \(error)", pointer: "")
    }
  }

  /// Why a file cannot be read as a model. The advice differs from the advice for an input of records.
  private static func message(of error: InputError) -> String {
    switch error.code {
    case .notFound:
      "\(error.path): no such file; name a model file, a table of the store, or poi, the built-in "
        + "model"
    case .isDirectory: "\(error.path): is a directory; name the model file in it"
    case .notJSON: "\(error.path): is not JSON; a model is a JSON Schema document"
    default: error.description
    }
  }
}

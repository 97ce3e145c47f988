internal import JSONStreaming
internal import POIInputs
internal import POIRecords

extension Model {
  /// How many bytes a model's file may have, after decompression; no element can be larger either.
  private static let longestFileByteCount = 16 << 20

  /// Reads a model from a file or pipe, decompressed where it is compressed.
  ///
  /// - Parameter path: where it is, or `-` for standard input; at most 16 MiB after decompression.
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
        message: "\(path): longer than \(Model.longestFileByteCount >> 20) MiB; that is no model",
        pointer: "")
    }
    do {
      try self.init(parsing: text.span)
    } catch {
      throw ModelError(message: "\(path): \(error)", pointer: "")
    }
  }

  /// Why a file is no model that can be read: what to do is other than for an input of records.
  private static func message(of error: InputError) -> String {
    switch error.code {
    case .notFound:
      "\(error.path): no such file; name a model file, a table of the store, or poi, the built-in "
        + "model"
    case .isDirectory: "\(error.path): is a directory; name the model file in it"
    case .notJSON: "\(error.path): is no JSON; a model is a JSON Schema document"
    default: error.description
    }
  }
}

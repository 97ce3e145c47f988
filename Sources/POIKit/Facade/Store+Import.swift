internal import POIFiles
public import POIRecords

/// Importing records.
extension Store {
  /// Imports the records of some inputs into a table, which is created if it is missing.
  ///
  /// The import is one run: it can be resumed with the same inputs in the same order. It uses the store
  /// until it ends.
  ///
  /// ```swift
  /// let store = try Store("places.sqlite")
  /// let report = try store.importRecords(from: .file("places.json"))
  /// ```
  ///
  /// - Parameters:
  ///   - sources: the inputs.
  ///   - model: what a record is; `poi` unless another is given.
  ///   - options: how to import.
  ///   - validators: additional checks of the program.
  ///   - progress: called on this thread after each batch; returns whether to continue.
  /// - Returns: what became of the records. Its `ending` is `stopped` if `progress` returned `stop`.
  /// - Throws: `StoreError`; the batches before it stay committed, and its `importReport` counts them. A
  ///   record that is not valid is a reject and no error.
  @discardableResult
  public func importRecords(
    from sources: ImportSource..., model: Model = .poi, options: ImportOptions = ImportOptions(),
    validators: [any RecordValidator] = [],
    progress: @escaping (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> ImportReport {
    try importRecords(
      from: sources, model: model, options: options, validators: validators, progress: progress)
  }

  /// Imports the records of a list of inputs; see the form above.
  @discardableResult
  public func importRecords(
    from sources: [ImportSource], model: Model = .poi, options: ImportOptions = ImportOptions(),
    validators: [any RecordValidator] = [],
    progress: @escaping (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> ImportReport {
    var options = options
    options.inputNames = options.inputNames ?? sources.map(\.name)
    var session = try ImportSession(
      into: self, model: model, options: options, validators: validators, onProgress: progress)
    do throws(StoreError) {
      for source in sources { try session.importAll(source) }
      return try session.finish()
    } catch {
      var error = error
      error.importReport = session.failedReport()
      throw error
    }
  }
}

extension ImportSession {
  /// Reads a whole input.
  ///
  /// A resuming session skips the inputs that the run had finished. If the run has ended, the input is not
  /// read.
  ///
  /// - Precondition: an input that was begun by `beginInput` or `append` is ended; else the program ends.
  /// - Throws: `StoreError` when the run cannot go on; a session that has failed throws the same again.
  public mutating func importAll(_ source: ImportSource) throws(StoreError) {
    switch source.content {
    case .file(let path): try importAll(ofFile: path)
    case .bytes(let bytes):
      var bytes = BytesSource(bytes, name: source.name)
      try importAll(from: &bytes)
    }
  }

  /// Whether the open input needs more bytes: not once the run has ended, or if a resumed run had finished
  /// the input.
  package var wantsBytes: Bool {
    switch phase {
    case .surveying, .reading: true
    case .idle, .skipping, .ended: false
    }
  }
}

import ModelInference
import POIFiles
import POIKit
import POIToolSupport

/// Adapting a model to what a delivery holds, before anything is stored.
extension ImportCommand {
  /// Whether the model is adapted to the inputs, so that each is read twice.
  var adaptsModel: Bool { widens || addsColumns }

  /// Widens the model so that it accepts the records of the inputs, and adds attributes for members that it does
  /// not map, as the options and the model say.
  ///
  /// - Parameter standardInput: standard input, if it is one of the inputs; only its beginning counts.
  mutating func adaptModel(
    _ standardInput: inout RewindableSource?, _ tool: inout ToolEnvironment
  ) throws {
    if !isDryRun { try checkOptions() }
    let store = try Self.store(at: storePath, trustsSchema: trustsSchema)
    let abandonsRuns = options.isRestarting
    func obstacle(_ model: Model) throws -> String? {
      try store?.obstacle(to: model, abandonsRuns: abandonsRuns)
    }
    if widens {
      if let stored = try storedModel(ofTable: model.table) { model = model.widened(to: stored) }
      let misfits = try misfits(&standardInput, tool.diagnostics)
      let (wider, changes, refusals) = try model.widened(by: misfits, unless: obstacle)
      model = wider
      model.note(changes, isDryRun ? "would be widened" : "is widened", tool.diagnostics)
      model.note(refusals, "cannot be widened", tool.diagnostics)
    }
    if addsColumns {
      let inferred = try inferredModel(tool.diagnostics) { inference, path in
        try read(path, &standardInput) { source in try inference.read(from: &source) }
      }
      let (larger, names) = try model.adding(
        attributesOf: Model(parsing: inferred.document), unless: obstacle)
      model = larger
      model.note(names, isDryRun ? "would get attributes" : "gets attributes", tool.diagnostics)
    }
  }

  /// What the model would have to accept so that the records of all inputs fit.
  private func misfits(
    _ standardInput: inout RewindableSource?, _ diagnostics: Diagnostics
  ) throws -> Misfits {
    var model = model
    model.keepsMisfits = false
    var session = try ImportSession(checking: model, options: checkingOptions) {
      Self.decision($0, diagnostics)
    }
    for path in inputs {
      do {
        try read(path, &standardInput) { source in try session.importAll(from: &source) }
      } catch {
        // The import itself will report it.
        break
      }
    }
    diagnostics.clearProgress()
    return session.misfits
  }

  /// Reads an input that is read again later.
  private func read(
    _ path: String, _ standardInput: inout RewindableSource?,
    _ read: (inout RewindableSource) throws -> Void
  ) throws {
    if FileSource.isReadOnce(path: path) {
      guard standardInput != nil else { return }
      try read(&standardInput!)
      _ = try standardInput!.restart()
    } else if Self.regularFileSize(path) != nil {
      var source = try RewindableSource(
        path: path, encoding: options.encoding, isInterrupted: { Interruption.isRequested })
      try source.restartFinally()
      try read(&source)
    }
  }
}

extension Model {
  /// Notes changes of the model, if there are any.
  func note(_ changes: [String], _ what: String, _ diagnostics: Diagnostics) {
    guard !changes.isEmpty else { return }
    let more = changes.count > 10 ? " and \(changes.count - 10) more" : ""
    diagnostics.note(
      "the model \(table) \(what): " + changes.prefix(10).joined(separator: "; ") + more)
  }
}

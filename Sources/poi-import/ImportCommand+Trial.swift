import ModelInference
import POIFiles
import POIKit
import POIToolSupport

/// Trying a model that the user did not name, before anything is stored.
extension ImportCommand {
  private static let triedRecordCount = 1_000

  /// Imports with a model that the user did not name, if it accepts one of the first records.
  ///
  /// Otherwise it shows what the input holds and which command imports that, and stores nothing.
  func importTried(_ tool: inout ToolEnvironment) throws -> ExitCode {
    try checkInputs()
    try checkOptions()
    var first: RewindableSource
    do {
      first = try RewindableSource(
        path: inputs[0], encoding: options.encoding, isInterrupted: { Interruption.isRequested })
    } catch {
      guard error.code == .interrupted else { throw error }
      return try stopAtOnce(&tool)
    }
    if let code = try refuse(&first, &tool) { return code }
    if Interruption.isRequested { return try stopAtOnce(&tool) }
    _ = try overriding(model)
    try first.restartFinally()
    var isFirst = true
    return try importRecords(&tool) { (session, path) throws(StoreError) in
      if isFirst {
        isFirst = false
        try session.importAll(from: &first)
      } else {
        try session.importAll(ofFile: path, isInterrupted: { Interruption.isRequested })
      }
    }
  }

  /// Tries the first records.
  ///
  /// - Returns: nil if the import can begin: a record fits, or it is not known whether one does.
  private func refuse(
    _ source: inout RewindableSource, _ tool: inout ToolEnvironment
  ) throws -> ExitCode? {
    var pointer = options.pointer
    var report: ImportReport
    do {
      report = try trial(of: &source, at: pointer)
    } catch {
      guard let places = error.places else {
        if source.hasReachedLimit { return nil }
        throw error
      }
      pointer = places[0]
      _ = try source.restart()
      report = try trial(of: &source, at: pointer)
      let isFit = report.counters.inserted > 0
      guard !isFit, places.count == 1 else {
        tool.diagnostics.error(ToolFailure(error).message)
        suggest(places, adding: isFit ? [] : ["--infer"], tool.diagnostics)
        return error.exitCode
      }
    }
    if source.hasReachedLimit { report.omitCutRecord() }
    guard report.counters.inserted == 0, report.counters.read > 0, !Interruption.isRequested else {
      return nil
    }
    try refuse(report, of: &source, at: pointer, &tool)
    return .dataError
  }

  /// Reports an import that was stopped before its first batch.
  private func stopAtOnce(_ tool: inout ToolEnvironment) throws -> ExitCode {
    try importRecords(&tool) { (session, _) throws(StoreError) in _ = try session.stop() }
  }

  /// A dry run of the first records, up to the first one that the model accepts.
  private func trial(
    of source: inout RewindableSource, at pointer: String?
  ) throws(StoreError) -> ImportReport {
    try trial(of: &source, by: model, at: pointer) { counters in counters.inserted > 0 }
  }

  /// Whether a model accepts all of the first records, and maps all of their members.
  func reads(_ model: Model, _ source: inout RewindableSource) throws -> Bool {
    let report: ImportReport
    do {
      report = try trial(of: &source, by: model, at: options.pointer) { $0.rejected > 0 }
    } catch {
      guard error.code == .unreadable else { throw error }
      _ = try source.restart()
      return false
    }
    _ = try source.restart()
    return report.counters.inserted > 0 && report.counters.rejected == 0
      && report.unmappedMembers.isEmpty && report.keptMembers.isEmpty
  }

  /// The options that say which records there are, and which of them fit.
  var checkingOptions: ImportOptions {
    var options = ImportOptions()
    options.limits = self.options.limits
    options.maximumSkew = self.options.maximumSkew
    options.pointer = self.options.pointer
    options.hasHeader = self.options.hasHeader
    options.delimiter = self.options.delimiter
    options.columns = self.options.columns
    options.areInputsRecords = self.options.areInputsRecords
    options.recordLimit = self.options.recordLimit
    return options
  }

  /// A dry run of the first records, up to the batch after which `isDecided` returns true.
  private func trial(
    of source: inout RewindableSource, by model: Model, at pointer: String?,
    isDecided: @escaping (ImportReport.Counters) -> Bool
  ) throws(StoreError) -> ImportReport {
    var options = checkingOptions
    options.pointer = pointer
    options.recordLimit = min(options.recordLimit ?? .max, Self.triedRecordCount)
    options.batchSize = 1
    var session = try ImportSession(checking: model, options: options) { progress in
      isDecided(progress.counters) || Interruption.isRequested ? .stop : .proceed
    }
    try session.importAll(from: &source)
    return try session.finish()
  }

  /// Says that no record fits the model, what the records are, and which command imports them.
  private func refuse(
    _ report: ImportReport, of source: inout RewindableSource, at pointer: String?,
    _ tool: inout ToolEnvironment
  ) throws {
    let count = report.counters.read
    let isPart = count == Self.triedRecordCount || source.hasReachedLimit
    let judgement =
      count == 1 && !isPart
      ? "the only record does not fit"
      : "none of the \(isPart ? "first " : "")\(QuantityFormat.count(count)) records fits"
    tool.diagnostics.error(
      "\(source.name): \(judgement) the model \(modelName), so nothing was stored: "
        + rules(of: report))
    let place = pointer == options.pointer ? [] : ["--at", pointer ?? ""]
    if let note = noteOnElements(of: report) {
      tool.diagnostics.note(note)
    } else {
      _ = try source.restart()
      do {
        try showRecords(of: &source, at: pointer, &tool)
        tool.diagnostics.note(
          "to import them into a table of their own\(inputs.contains("-") ? ", with the same input" : "")"
            + ": \(arguments.commandLine(adding: ["--infer"] + place))")
      } catch let error as StoreError {
        tool.diagnostics.note(error.message)
        suggest(error.places ?? [], adding: ["--infer"], tool.diagnostics)
      }
    }
    tool.diagnostics.note(
      "to keep them as rejects: "
        + arguments.commandLine(adding: ["--model", modelName] + place))
  }

  /// Shows where the records are, and their members with types.
  private func showRecords(
    of source: inout RewindableSource, at pointer: String?, _ tool: inout ToolEnvironment
  ) throws {
    var options = options
    options.recordLimit = Self.triedRecordCount
    options.pointer = pointer
    var inference = try ModelInference(options: options)
    try inference.read(from: &source, byteLimit: RewindableSource.byteLimit)
    let pointer = inference.inputs[0].pointer
    let found = try Model(parsing: inference.finish())
    guard !isReportJSON, !tool.isQuiet else { return }
    var members = TextTable(.left, .left)
    for attribute in found.attributes.prefix(20) {
      members.append(attribute.source.notation, attribute.kind)
    }
    tool.output.write(
      printable("\(source.name): records at \(place(pointer)) with these members") + ":\n"
        + members.text(indent: 2))
    let more = found.attributes.count - 20
    if more > 0 { tool.output.write("  and \(more) more\n") }
  }
}

extension ImportReport {
  /// Leaves out the record that the end of the tried bytes has cut.
  fileprivate mutating func omitCutRecord() {
    guard let index = rejectsByRule.firstIndex(where: { $0.rule == "truncated" }) else { return }
    counters.read -= rejectsByRule[index].count
    counters.rejected -= rejectsByRule[index].count
    rejectsByRule.remove(at: index)
  }
}

extension StoreError {
  /// The places that may hold the records, the likeliest first; nil if that is not what is wrong.
  var places: [String]? {
    for case .chooseRecords(let places) in advice { return places }
    return nil
  }
}

extension Attribute {
  /// The kind of value, in a model's words.
  fileprivate var kind: String {
    switch storage {
    case .text: "text"
    case .uuid: "UUID"
    case .integer: types.contains(.boolean) ? "boolean" : "integer"
    case .real: "number"
    case .instant: "date-time"
    case .date: "date"
    case .json, .relation: "JSON"
    case .any: "several types"
    }
  }
}

import ModelInference
import POIFiles
import POIKit
import POIPlatform
import POIToolSupport

extension ImportCommand {
  /// What happens with a model that is inferred.
  enum Inference: String, CaseIterable {
    case `import`, print, strict
  }

  /// How `NaN`, `Infinity` and `-Infinity` are read.
  enum NaNReading: String, CaseIterable {
    case reject, null
  }

  enum Task: Equatable {
    case importRecords
    /// Infer a model and import with it.
    case importInferred
    case printInferredModel(isStrict: Bool)
    /// Print what to ask the source for next.
    case printToken
    /// Forget it.
    case forgetToken
    case printModel(String)
    /// Print structs for the records of the model.
    case printSwift
    /// Remember local changes of a table from now on.
    case track
    /// Forget the changes of a key, or all.
    case discard(key: String?)
    /// Remember them no longer.
    case untrack(discardsAll: Bool)
    /// End the local changes that a server acknowledges.
    case acknowledge
    /// Judge lines without a store.
    case emit(shardCount: Int)
  }

  /// The task that the options select; importing by default.
  static func task(of arguments: ParsedArguments) throws(UsageError) -> Task {
    let file = inputs(of: arguments).first
    if arguments.flag("print-token") {
      guard let file else { return .printToken }
      throw UsageError(
        "--print-token prints what earlier imports left; import \(file) without it")
    }
    if arguments.flag("forget") {
      guard let file else { return .forgetToken }
      throw UsageError("--forget reads no FILE; omit \(file)")
    }
    if let name = arguments.text("print-model") {
      guard let file else { return .printModel(name) }
      throw UsageError(
        "--print-model reads no FILE; --infer=print prints a model of what \(file) holds")
    }
    if arguments.flag("print-swift") {
      guard let file else { return .printSwift }
      throw UsageError("--print-swift reads no FILE; omit \(file)")
    }
    for name in ["track", "untrack"] where arguments.flag(name) {
      if let file { throw UsageError("--\(name) reads no FILE; omit \(file)") }
      return name == "track" ? .track : .untrack(discardsAll: arguments.flag("discard-all"))
    }
    if arguments.flag("discard-all") || arguments.text("discard") != nil {
      if let file { throw UsageError("--discard reads no FILE; omit \(file)") }
      return .discard(key: arguments.text("discard"))
    }
    if arguments.flag("emit") {
      guard file == nil || file == "-" else {
        throw UsageError("--emit reads standard input; give it \(file ?? "") there")
      }
      return .emit(shardCount: try arguments.integer("shards", in: 1...1_000_000) ?? 1)
    }
    guard file != nil else { throw UsageError("no FILE given") }
    if arguments.flag("acknowledge") { return .acknowledge }
    switch arguments.choice("infer", as: Inference.self) {
    case nil: return .importRecords
    case .import: return .importInferred
    case .print: return .printInferredModel(isStrict: false)
    case .strict: return .printInferredModel(isStrict: true)
    }
  }

  func run(_ tool: inout ToolEnvironment) throws -> ExitCode {
    do {
      return try runTask(&tool)
    } catch let error as StoreError {
      if case .confirmKey(let key)? = error.advice.first {
        tool.diagnostics.error(error.message)
        tool.diagnostics.note(
          "if it identifies a record: "
            + arguments.commandLine(adding: ["--key", key.joined(separator: ",")]))
        return error.exitCode
      }
      guard let places = error.places else { throw error }
      tool.diagnostics.error(ToolFailure(error).message)
      suggest(places, adding: [], tool.diagnostics)
      return error.exitCode
    }
  }

  private func runTask(_ tool: inout ToolEnvironment) throws -> ExitCode {
    let continues = try options.isResuming && storedModel(ofTable: model.table) != nil
    switch task {
    case .importRecords
    where isModelUntried && !isDryRun && !continues && !widens && !addsColumns:
      return try importTried(&tool)
    case .importRecords: return try importFiles(&tool)
    case .importInferred: return try importInferred(&tool)
    case .printInferredModel(let isStrict):
      let inferred = try inferredModel(tool.diagnostics, isStrict: isStrict) { inference, path in
        var source = try FileSource(
          path: path, encoding: options.encoding, isInterrupted: { Interruption.isRequested })
        try inference.read(from: &source)
      }
      tool.output.write(json: try overriding(Model(parsing: inferred.document)).printedDocument)
    case .printModel(let name): tool.output.write(json: try namedModel(name).printedDocument)
    case .printSwift: tool.output.write(value: SwiftSource(model).text)
    case .printToken: try printToken(&tool)
    case .forgetToken: try forgetToken()
    case .track: try track(&tool)
    case .untrack(let discardsAll):
      try Store(storePath, for: .existing, trustsSchema: trustsSchema)
        .untrack(table, discardingAll: discardsAll)
    case .discard(let key):
      let count = try Store(storePath, for: .existing, trustsSchema: trustsSchema)
        .discardChanges(of: key, in: table)
      tool.diagnostics.note("local changes of \(QuantityFormat.count(count, "key")) were discarded")
    case .acknowledge: return try acknowledge(&tool)
    case .emit(let shardCount): return try emit(shardCount: shardCount, &tool)
    }
    return .done
  }

  private func acknowledge(_ tool: inout ToolEnvironment) throws -> ExitCode {
    let sources = inputs.map { $0 == "-" ? ImportSource.standardInput : .file($0) }
    let report = try Store(storePath, for: .existing, trustsSchema: trustsSchema)
      .acknowledge(from: sources, of: table, options: options) { _ in
        Interruption.isRequested ? .stop : .proceed
      }
    guard report.lines.ending == .finished else { return .interrupted }
    let lines = report.lines.counters
    if isReportJSON {
      let members: [(String, JSONValue)] = [
        ("report", .number(1)), ("tool", .string("poi-import")),
        ("version", .string(ToolkitVersion.current)),
        ("store", .string(storePath)),
        (
          "counters",
          .counts([
            ("read", lines.read), ("acknowledged", report.endedCount),
            ("unknown", report.unknownCount),
            ("rejected", lines.rejected), ("records", report.records?.counters.read ?? 0),
            ("recordsRejected", report.records?.counters.rejected ?? 0),
            ("kept", report.records?.counters.kept ?? 0),
          ])
        ),
      ]
      tool.output.write(
        json: JSONValue.object(members.map { .init(name: $0.0, value: $0.1) }).indented(width: 0)
          + "\n")
    } else if !tool.isQuiet {
      var counters = TextTable(.left, .right, .left)
      counters.append("read", lines.read, "")
      counters.append("acknowledged", report.endedCount, "keys without changes since")
      if report.unknownCount > 0 {
        counters.append("unknown", report.unknownCount, "keys without changes up to then")
      }
      if let records = report.records?.counters {
        counters.append("records", records.read - records.rejected, "as the server has them")
        if records.kept > 0 { counters.append("kept", records.kept, "because of later changes") }
      }
      counters.append("rejected", lines.rejected, rules(of: report.lines))
      if let records = report.records, records.counters.rejected > 0 {
        counters.append(
          "records rejected", records.counters.rejected,
          "\(rules(of: records)); the rows stay as they are")
      }
      tool.output.write(counters.text())
    }
    return lines.rejected + (report.records?.counters.rejected ?? 0) > 0 ? .rejected : .done
  }

  private func track(_ tool: inout ToolEnvironment) throws {
    let report = try Store(storePath, for: .existing, trustsSchema: trustsSchema).track(table)
    tool.diagnostics.note(
      report.isNew
        ? "local changes of the table \(report.table) are remembered from now on"
        : "local changes of the table \(report.table) are remembered")
    guard !report.lostTriggers.isEmpty else { return }
    tool.diagnostics.warning(
      "triggers were missing or did not fit the table, so changes since then may not be known: "
        + report.lostTriggers.joined(separator: ", "))
  }

  /// Checks all paths before the first input is stored or a store is created.
  func checkInputs() throws {
    for path in inputs {
      let isDatabase = [".db", ".sqlite", ".sqlite3"].contains { path.hasSuffix($0) }
      let isThere = unsafe access(path, F_OK) == 0
      guard !isDatabase || inputs.count == 1 && isThere else {
        throw ToolFailure(
          .usage, "\(path): not an input; the store is named with --store \(path.shellWord)")
      }
      try FileSource.check(path: path)
      let file = path.split(separator: "/").last ?? ""
      guard !file.hasSuffix(".tgz"), !file.contains(".tar.") else {
        throw ToolFailure(
          .dataError, "\(path): is a tar archive; unpack it and name the files in it")
      }
    }
  }

  func importFiles(_ tool: inout ToolEnvironment) throws -> ExitCode {
    if isModelUntried { _ = try overriding(model) }
    try checkInputs()
    var standardInput: RewindableSource?
    guard adaptsModel else { return try importInputs(standardInput: &standardInput, &tool) }
    if widens || addsColumns { try requireRegularFiles(for: widens ? "widen" : "add-columns") }
    if let path = try readOnceInput() {
      standardInput = try RewindableSource(
        path: path, encoding: options.encoding, isInterrupted: { Interruption.isRequested })
    }
    var command = self
    try command.adaptModel(&standardInput, &tool)
    return try command.importInputs(standardInput: &standardInput, &tool)
  }

  /// The input that can be read once only, whose beginning is kept.
  private func readOnceInput() throws -> String? {
    let paths = inputs.filter(FileSource.isReadOnce(path:))
    guard paths.count < 2 else {
      throw ToolFailure(
        .usage,
        "several inputs are no files, and the beginning of one only can be kept: import the first alone"
      )
    }
    return paths.first
  }

  /// Refuses inputs that cannot be read twice, except standard input and addresses.
  private func requireRegularFiles(for option: String) throws {
    for path in inputs
    where !FileSource.isReadOnce(path: path) && Self.regularFileSize(path) == nil {
      throw ToolFailure(
        .usage,
        "\(path): not a regular file, and --\(option) reads a file twice; give a pipe as standard input, '-'"
      )
    }
  }

  /// Infers the model, unless the store has the table already, and imports with it.
  private func importInferred(_ tool: inout ToolEnvironment) throws -> ExitCode {
    try checkInputs()
    try requireRegularFiles(for: "infer")
    var command = self
    // Standard input is read once: its beginning is kept for the import.
    var standardInput: RewindableSource?
    if let path = try readOnceInput() {
      standardInput = try RewindableSource(
        path: path, encoding: options.encoding, isInterrupted: { Interruption.isRequested })
    }
    if let stored = try storedModel(for: inputs[0], beginningWith: &standardInput) {
      command.model = try overriding(stored)
      tool.diagnostics.note(
        "the store has the table \(stored.table): its model is used, none is inferred")
      if command.adaptsModel { try command.adaptModel(&standardInput, &tool) }
      return try command.importInputs(standardInput: &standardInput, &tool)
    }
    // A key that decides between records is judged by all of them.
    let judgesKey =
      keyTexts.isEmpty && (options.isSnapshot || options.mergePolicy ?? .append != .append)
    let share = max(RewindableSource.byteLimit / inputs.count, 1 << 18)
    let byteLimit = judgesKey ? Int.max : share
    let (document, key, places) = try inferredModel(tool.diagnostics) { inference, path in
      if FileSource.isReadOnce(path: path) {
        try inference.read(
          from: &standardInput!, byteLimit: min(byteLimit, RewindableSource.byteLimit))
      } else {
        var source = try FileSource(
          path: path, encoding: options.encoding, isInterrupted: { Interruption.isRequested })
        try inference.read(from: &source, byteLimit: byteLimit)
      }
    }
    command.model = try overriding(Model(parsing: document))
    if judgesKey, standardInput?.hasReachedLimit == true, !command.model.key.isEmpty {
      throw StoreError(
        .invalidOptions,
        "only the first 16 MiB of standard input say that \(command.model.key.joined(separator: ", ")) is "
          + "the key, so different records could be merged",
        advice: .confirmKey(command.model.key))
    }
    if options.pointer == nil { command.options.foundPlaces = places }
    let code = try command.importInputs(standardInput: &standardInput, &tool)
    let model = command.model
    tool.diagnostics.note(
      "the model of \(model.table) was inferred"
        + (model.key.isEmpty
          ? ", without a key (\(key.reasonForNone ?? ""))"
          : ": key \(model.key.joined(separator: ", "))"
            + (key.isDoubtful && keyTexts.isEmpty ? " (doubtful)" : ""))
        + (model.timestamp.map { ", timestamp \($0)" } ?? "")
        + (model.zonelessNames.isEmpty
          ? ""
          : "; UTC was assumed for times without a zone: \(model.zonelessNames.joined(separator: ", "))")
        + (isDryRun ? "" : "; --print-model \(model.table.shellWord)\(storeOption) prints it")
        + (isDryRun || !model.hasInstants
          ? "" : "; the view \(model.readableView) shows its times as text"))
    return code
  }

  private func importInputs(
    standardInput: inout RewindableSource?, _ tool: inout ToolEnvironment
  ) throws -> ExitCode {
    try standardInput?.restartFinally()
    return try importRecords(&tool) { (session, path) throws(StoreError) in
      if FileSource.isReadOnce(path: path), standardInput != nil {
        try session.importAll(from: &standardInput!)
      } else {
        try session.importAll(ofFile: path, isInterrupted: { Interruption.isRequested })
      }
    }
  }

  /// The model of a stored table for the records of an input: the table with the name that is given or that
  /// the file has, else the only table, if its model reads all members of the first records of all inputs. A
  /// merge does not choose the only table: the same key could mean another thing.
  private func storedModel(
    for path: String, beginningWith standardInput: inout RewindableSource?
  ) throws -> Model? {
    let name = table ?? ModelInference.tableName(forInput: FileSource.name(ofPath: path))
    if let stored = try storedModel(ofTable: name) {
      if table == nil { try checkPlace(ofTable: stored.table) }
      return stored
    }
    guard table == nil, !options.isSnapshot, options.mergePolicy ?? .append == .append,
      let only = try onlyAppendedModel()
    else { return nil }
    for path in inputs {
      let isRead: Bool
      if FileSource.isReadOnce(path: path) {
        isRead = try standardInput != nil && reads(only, &standardInput!)
      } else {
        var source = try RewindableSource(
          path: path, encoding: options.encoding, isInterrupted: { Interruption.isRequested })
        isRead = try reads(only, &source)
      }
      if !isRead { return nil }
    }
    return only
  }

  /// The option that names the store, if it is not the default one.
  var storeOption: String {
    storePath == "poi.sqlite" ? "" : " --store \(storePath.shellWord)"
  }

  func importRecords(
    _ tool: inout ToolEnvironment,
    _ importInput: (inout ImportSession, String) throws(StoreError) -> Void
  ) throws -> ExitCode {
    let diagnostics = tool.diagnostics
    if try isUnchanged() {
      diagnostics.note(
        "\(FileSource.name(ofPath: inputs[0])): the server has no other version than the one that was imported; "
          + "--restart imports it again")
      return .done
    }
    var session = try session(diagnostics) { Self.decision($0, diagnostics) }
    let report: ImportReport
    do throws(StoreError) {
      try warnOfEarlierImports(session, diagnostics)
      for path in inputs { try importInput(&session, path) }
      report = try session.finish()
    } catch {
      guard let report = session.failedReport() else { throw error }
      let failure = ToolFailure(error)
      diagnostics.error(failure.message)
      show(report, &tool)
      suggest(error.places ?? [], adding: [], diagnostics)
      return failure.code
    }
    show(report, &tool)
    // A few rejects are bad records; many are records of another form.
    if !widens, report.counters.rejected * 2 >= report.counters.read {
      let changes = model.widened(by: session.misfits) { _ in nil }.changes
      model.note(changes, "could be widened with --widen", diagnostics)
    }
    try writePage(of: report)
    return report.exitCode
  }

  /// Whether the only input is an address whose version was imported into the table with the same model.
  private func isUnchanged() throws -> Bool {
    guard inputs.count == 1, !isDryRun, !options.isRestarting, !options.isResuming,
      let store = try Self.store(at: storePath, trustsSchema: trustsSchema),
      let version = try store.version(of: inputs[0], into: model, options)
    else { return false }
    return FileSource.isUnchanged(version, isInterrupted: { Interruption.isRequested })
  }

  /// Warns of inputs whose records will be stored twice.
  private func warnOfEarlierImports(
    _ session: borrowing ImportSession, _ diagnostics: Diagnostics
  ) throws(StoreError) {
    let sizes = inputs.compactMap { path in
      Self.regularFileSize(path).map { (name: FileSource.name(ofPath: path), byteCount: $0) }
    }
    for (name, run) in try session.earlierImports(of: sizes) {
      diagnostics.warning(
        "\(name): imported before by run \(run), by its name and size; its records are added again "
          + "beside the stored ones"
          + (model.key.isEmpty ? "" : "; poi-dedup\(storeOption) removes duplicates"))
    }
  }

  /// The size of a regular file in bytes; nil for anything else.
  static func regularFileSize(_ path: String) -> Int? {
    FileSource.byteCount(ofFile: path)
  }

  /// Shows the command for each of several places that may hold the records.
  func suggest(_ places: [String], adding more: [String], _ diagnostics: Diagnostics) {
    for place in places.prefix(3) {
      diagnostics.note(
        "records at \(place.isEmpty ? "the top level" : place): "
          + arguments.commandLine(adding: more + ["--at", place]))
    }
  }

  private func show(_ report: ImportReport, _ tool: inout ToolEnvironment) {
    tool.diagnostics.clearProgress()
    write(report, to: &tool)
    for warning in warnings(on: report) { tool.diagnostics.warning(warning) }
    for note in notes(on: report) { tool.diagnostics.note(note) }
  }

  /// The document of a model for the records of all inputs.
  ///
  /// - Parameter read: reads an input from its path.
  func inferredModel(
    _ diagnostics: Diagnostics, isStrict: Bool = false,
    _ read: (inout ModelInference, String) throws -> Void
  ) throws -> (document: String, key: KeyChoice, places: [String?]) {
    var inference = try ModelInference(options: options) { Self.decision($0, diagnostics) }
    for path in inputs { try read(&inference, path) }
    diagnostics.clearProgress()
    if arguments.text("infer") != nil, table == nil { try checkKinds(inference.kinds) }
    let remarks = [inference.omission, inference.headerDoubt].compactMap(\.self)
    let places = inference.inputs.map(\.pointer)
    let model = try inference.finishWithKey(isStrict: isStrict, timestamp: timestamp)
    for remark in remarks { diagnostics.warning(remark.message.advised(by: remark.advice)) }
    return (model.document, model.key, places)
  }

  /// Refuses inputs of several kinds, which would share a table.
  private func checkKinds(_ kinds: [(inputs: [Int], members: MembersOfInput)]) throws(ToolFailure) {
    guard kinds.count > 1 else { return }
    let commands = kinds.map { kind in
      "\(arguments.commandLine(naming: kind.inputs.map { inputs[$0] }))  "
        + "# \(kind.members.examples.joined(separator: ", "))"
    }
    throw ToolFailure(
      .usage,
      "the inputs hold records of \(kinds.count) kinds; import each kind by itself, or name the table of all with "
        + "--table", details: commands)
  }

  static func decision(_ progress: StoreProgress, _ diagnostics: Diagnostics) -> BatchDecision {
    diagnostics.progress(Progress(progress))
    return Interruption.isRequested ? .stop : .proceed
  }

  /// The model of the store's table with this name, else the built-in one.
  private func namedModel(_ name: String) throws -> Model {
    if let store = try Self.store(at: storePath, trustsSchema: trustsSchema) {
      let isTable = try store.tables().contains(name)
      if isTable || name != "poi" { return try store.model(ofTable: name) }
    }
    guard name == "poi" else {
      throw ToolFailure(
        .usage,
        "there is no model called \"\(name)\": the built-in one is poi, and there is no store "
          + "\(storePath) with a table of that name")
    }
    return .poi
  }
}

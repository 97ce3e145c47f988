import POIFiles
import POIKit
import POIPlatform
import POIReport
import POIToolSupport

/// The parsed options of `poi-import`.
struct ImportCommand {
  /// The paths to read, in order; `-` is standard input.
  let inputs: [String]
  /// The model; the built-in one if the task needs none or infers one.
  var model: Model
  let storePath: String
  /// Whether the store's own schema may call any function and virtual table.
  let trustsSchema: Bool
  let isDryRun: Bool
  let task: Task
  private let isModelGiven: Bool
  /// Whether the model was not named, and its table is missing or empty.
  let isModelUntried: Bool
  /// Whether the table is made to accept what the records hold.
  let widens: Bool
  /// Whether members that the model does not map get columns.
  let addsColumns: Bool
  /// The name by which `--model` finds the model.
  let modelName: String
  /// The table that is given by `--table`; nil for the model's own.
  let table: String?
  /// The names that are given by `--key`.
  let keyTexts: [String]
  let timestamp: String?
  let arguments: ParsedArguments
  let isReportJSON: Bool
  /// The members of files that are left out beside their arrays of records.
  let leftOutMembers: [String]
  private let page: PageFile?
  var options = ImportOptions()

  init(_ arguments: ParsedArguments) throws {
    self.arguments = arguments
    inputs = Self.inputs(of: arguments)
    let modelName = arguments.text("model")
    guard (inputs + [modelName]).count(where: { $0 == "-" }) <= 1 else {
      throw ToolFailure(.usage, "standard input, '-', can be read only once")
    }
    isModelGiven = modelName != nil
    storePath = arguments.text("store") ?? "poi.sqlite"
    guard !storePath.isEmpty else { throw ToolFailure(.usage, "--store names no path") }
    trustsSchema = arguments.flag("trust-schema")
    isDryRun = arguments.flag("dry-run")
    widens = arguments.flag("widen")
    addsColumns = arguments.flag("add-columns")
    page = try PageFile(arguments)
    isReportJSON = arguments.choice("report", as: OptionDescription.ReportForm.self) == .json
    options.batchSize = try arguments.integer("batch", in: 1...1_000_000)
    options.batchByteLimit =
      try arguments.byteCount("batch-bytes", in: 1...(1 << 30)) ?? options.batchByteLimit
    options.jobCount = try arguments.integer("jobs", in: 1...2) ?? options.jobCount
    options.pointer = arguments.text("at")
    options.hasHeader = arguments.flag("header")
    options.delimiter = try arguments.value(
      "delimiter", "is not one character such as ';', or tab", Self.delimiter)
    options.columns = arguments.texts("columns").flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    options.encoding = arguments.choice("encoding", as: TextEncoding.self)
    options.tokenPointer = arguments.text("token-at")
    options.source = arguments.text("source") ?? ""
    guard arguments.text("source") != "" else {
      throw UsageError(
        "--source is empty; omit it for the source without a name")
    }
    options.recordLimit = try arguments.integer("limit", in: 0...Int.max)
    options.rejectLimit = try arguments.limit("max-rejects")
    options.shard = try arguments.value(
      "shard", "is not a shard such as 0/4, which is the first of 4", Self.shard)
    options.isSnapshot = arguments.flag("snapshot")
    options.removalLimit = try arguments.limit("max-removals")
    if arguments.text("max-skew") == "none" {
      options.maximumSkew = nil
    } else {
      options.maximumSkew = try arguments.duration("max-skew") ?? options.maximumSkew
    }
    options.mergePolicy = arguments.text("merge").flatMap(MergePolicy.init)
    options.ties = arguments.choice("ties", as: TieRule.self)
    options.inputNames = inputs.map(FileSource.name(ofPath:))
    options.isResuming = arguments.flag("resume")
    options.isRestarting = arguments.flag("restart")
    options.rejectFile = arguments.text("rejects")
    guard options.rejectFile != "-" else {
      throw ToolFailure(
        .usage, "--rejects needs a file; write ./- for a file called -")
    }
    typealias Limits = ImportOptions.RecordLimits
    options.limits.depth =
      try arguments.integer("max-depth", in: Limits.depths) ?? options.limits.depth
    options.limits.byteCount =
      try arguments.byteCount("max-record-bytes", in: Limits.byteCounts) ?? options.limits.byteCount
    options.limits.stringByteCount =
      try arguments.byteCount("max-string-bytes", in: Limits.stringByteCounts)
      ?? options.limits.stringByteCount
    options.limits.keysPerObject =
      try arguments.integer("max-keys", in: Limits.keyCounts) ?? options.limits.keysPerObject
    options.limits.readsNaNAsNull = arguments.choice("nan", as: NaNReading.self) == .null
    leftOutMembers =
      inputs.allSatisfy { Self.regularFileSize($0) != nil }
      ? options.chooseInputsAsRecords(ofFiles: inputs) : []
    // Check the options first: a FILE may be missing because it was parsed as a value.
    task = try Self.task(of: arguments)
    table = arguments.text("table")
    keyTexts = arguments.texts("key")
    timestamp = arguments.text("timestamp")
    (model, isModelUntried) =
      if let modelName {
        (try Self.model(named: modelName, storePath: storePath, trustsSchema: trustsSchema), false)
      } else if task == .importRecords || task == .printSwift {
        try Self.defaultModel(ofTable: table, storePath: storePath, trustsSchema: trustsSchema)
      } else {
        (.poi, true)
      }
    self.modelName = modelName ?? model.table
    if case .emit = task {
      model = try overriding(model)
    } else if task == .importRecords || task == .printSwift {
      // A model that does not fit the records may lack their key; then another message is more useful.
      model = isModelUntried ? (try? overriding(model)) ?? model : try overriding(model)
    }
  }

  /// The paths to read; standard input if none is named for an inference and it is no terminal.
  static func inputs(of arguments: ParsedArguments) -> [String] {
    let named = arguments.positionals
    guard named.isEmpty, arguments.text("infer") != nil, isatty(STDIN_FILENO) == 0 else {
      return named
    }
    return ["-"]
  }

  /// The model with the table, key and timestamp that the command line names.
  func overriding(_ model: Model) throws -> Model {
    var overrides = Model.Overrides()
    overrides.table = table
    if !keyTexts.isEmpty {
      overrides.key = try ParsedArguments.names(
        in: keyTexts, option: "key", known: model.attributes.map(\.name))
    } else if model.isKeyDoubtful, let stored = try storedModel(ofTable: table ?? model.table),
      !stored.isKeyDoubtful, stored.key.elementsEqual(model.key)
    {
      // The key was named before.
      overrides.key = stored.key
    }
    overrides.timestamp = timestamp
    overrides.ties = options.ties
    overrides.groupsNullKeys = arguments.choice(
      "null-key", as: DeduplicationOptions.NullKeyRule.self
    ).map { $0 == .group }
    return try model.with(overrides)
  }

  /// This command with more arguments, for a shell.
  func commandLine(adding more: String...) -> String { arguments.commandLine(adding: more) }

  private static func delimiter(_ text: String) -> Character? {
    if text == "tab" || text == "\\t" { return "\t" }
    return text.count == 1 ? text.first : nil
  }

  private static func shard(_ text: String) -> ImportOptions.Shard? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = UInt32(parts[0]), let count = UInt32(parts[1]) else {
      return nil
    }
    let shard = ImportOptions.Shard(Int(index), of: Int(count))
    return shard.isValid ? shard : nil
  }

  /// Prints what to ask the source for next, or why there is nothing to print.
  func printToken(_ tool: inout ToolEnvironment) throws {
    let nothingImported = "no import from this source has finished: ask for everything"
    guard let store = try Self.store(at: storePath, trustsSchema: trustsSchema) else {
      return tool.diagnostics.note(nothingImported)
    }
    let model = try tokenModel(of: store)
    if let token = try store.token(of: model, source: options.source) {
      tool.output.write(value: token + "\n")
      if try !store.hasRows(inTable: model.table) {
        tool.diagnostics.note(
          "the table \(model.table) has no rows, and its token is kept; --forget drops it")
      }
    } else if try !store.hasFinishedImport(of: model, source: options.source) {
      tool.diagnostics.note(nothingImported)
    } else if model.timestamp == nil {
      tool.diagnostics.note(
        "the table \(model.table) has no timestamp, since its model names no x-timestamp, and no "
          + "token was kept: there is no starting point")
    } else {
      tool.diagnostics.note(
        "no record of this source has a timestamp, and no token was kept: ask for everything")
    }
  }

  private func tokenModel(of store: Store) throws -> Model {
    let tables = try store.tables()
    guard isModelGiven || tables.count < 2 else {
      throw Self.severalTables(tables, storePath: storePath)
    }
    return isModelGiven ? model : try store.model()
  }

  /// Forgets what to ask the source for next.
  func forgetToken() throws {
    guard try Self.store(at: storePath, trustsSchema: trustsSchema) != nil else { return }
    let store = try Store(storePath, for: .shared, trustsSchema: trustsSchema)
    try store.forgetToken(of: tokenModel(of: store), source: options.source)
  }

  func session(
    _ diagnostics: Diagnostics, onProgress: @escaping (StoreProgress) -> BatchDecision
  ) throws -> ImportSession {
    if isDryRun {
      var session = try ImportSession(checking: model, options: options, onProgress: onProgress)
      if let store = try Self.store(at: storePath, trustsSchema: trustsSchema) {
        try session.expectRecords(at: store.places(ofInputsInto: model.table))
      }
      return session
    }
    // A refused command leaves no store behind.
    try checkOptions()
    return try ImportSession(
      into: openStore(diagnostics), model: model, options: options, onProgress: onProgress)
  }

  /// Opens the store, and says what will be added to a database of another program. That must not have the
  /// tables of the model.
  private func openStore(_ diagnostics: Diagnostics) throws -> Store {
    let database = try Store.Database(path: storePath, for: .shared, trustsSchema: trustsSchema)
    if case .store(let store) = database { return store }
    if let count = try database.missingTableCount(for: model) {
      diagnostics.note(
        "\(storePath): belongs to another program, whose tables stay untouched"
          + (count == 0
            ? "" : "; \(count) tables named poikit_… are added for resuming, rejects and undo"))
    }
    return try Store(storePath, for: .shared, trustsSchema: trustsSchema)
  }

  /// Writes the page of `--html`, if the import was not interrupted.
  func writePage(of report: ImportReport) throws {
    guard let page, report.ending == .finished else { return }
    let store = isDryRun ? nil : try Store(storePath, for: .existing, trustsSchema: trustsSchema)
    try page.write(
      report.html(of: store, table: model.table, commandLine: commandLine()),
      mode: isDryRun ? 0o600 : StorePermissions.forFile(besideStoreAt: storePath))
  }

  func checkOptions() throws {
    try options.check(for: model, storePath: storePath)
    // A table that exists may be unique by another key.
    if try storedModel(ofTable: model.table) == nil { try options.checkKey(of: model) }
  }
}

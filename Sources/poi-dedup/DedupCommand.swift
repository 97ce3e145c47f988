import POIKit
import POIToolSupport

/// The parsed options of `poi-dedup`.
struct DedupCommand {
  enum Task {
    case deduplicate
    /// Decide only, change nothing.
    case plan
    /// Restore what a run removed; the latest run if nil.
    case undo(run: Int64?)
    case digest
    /// List the references to missing rows.
    case dangling
    /// Delete removals older than this.
    case purge(olderThan: Duration)

    var isQuestion: Bool {
      switch self {
      case .plan, .digest, .dangling: true
      case .deduplicate, .undo, .purge: false
      }
    }
  }

  /// The stores; several only for `digest`.
  let storePaths: [String]
  var storePath: String { storePaths[0] }
  /// Whether the database's own schema may call any function and virtual table.
  let trustsSchema: Bool
  let table: String?
  /// The values of `--key`: each is a name, or names separated by commas.
  private let keyTexts: [String]
  let timestamp: String?
  let references: [NamedReference]
  /// The values of `--ignore`, like `keyTexts`.
  private let ignoreTexts: [String]
  /// How long to wait for another program that writes.
  let busyTimeout: Duration
  let task: Task
  let isReportJSON: Bool
  /// The page of `--html`.
  let page: PageFile?
  /// This command for a shell.
  let commandLine: String
  var options = DeduplicationOptions()

  /// The rule for keys with NULL, if it was named.
  var nullKey: DeduplicationOptions.NullKeyRule?

  init(_ arguments: ParsedArguments) throws {
    page = try PageFile(arguments)
    commandLine = arguments.commandLine(adding: [])
    let isUndoing = arguments.flag("undo")
    let run = try DedupCommand.run(arguments, isUndoing: isUndoing)
    storePaths = try arguments.texts(
      "store", orPositionals: Array(arguments.positionals.dropFirst(run == nil ? 0 : 1)))
    trustsSchema = arguments.flag("trust-schema")
    table = arguments.text("table")
    keyTexts = arguments.texts("key")
    timestamp = arguments.text("timestamp")
    references = try arguments.texts("references").map(DedupCommand.reference)
    ignoreTexts = arguments.texts("ignore")
    busyTimeout = try arguments.duration("busy") ?? .seconds(5)
    isReportJSON = arguments.choice("report", as: OptionDescription.ReportForm.self) == .json
    let age = try arguments.duration("purge-tombstones")
    task =
      if let age {
        .purge(olderThan: age)
      } else if isUndoing {
        .undo(run: run)
      } else if arguments.flag("dangling") {
        .dangling
      } else {
        arguments.flag("dry-run") ? .plan : arguments.flag("digest") ? .digest : .deduplicate
      }
    if storePaths.count > 1 {
      guard case .digest = task else {
        throw UsageError(
          "several stores are named, \(storePaths.joined(separator: ", ")); only --digest takes several stores"
        )
      }
    }
    options.keep = arguments.choice("keep", as: DeduplicationOptions.KeepRule.self) ?? options.keep
    options.ties = arguments.choice("ties", as: TieRule.self)
    nullKey = arguments.choice("null-key", as: DeduplicationOptions.NullKeyRule.self)
    options.nullKey = nullKey ?? options.nullKey
    options.arrays =
      arguments.choice("arrays", as: DeduplicationOptions.ArrayRule.self) ?? options.arrays
    options.mergesLosers = arguments.flag("merge-losers")
    options.batchSize = try arguments.integer("batch", in: 1...1_000_000)
    options.memoryBudget =
      try arguments.byteCount("memory", in: 1 << 20...1 << 40) ?? options.memoryBudget
    options.archive = !arguments.flag("no-archive")
    if arguments.flag("enforce") {
      options.enforcement = arguments.flag("hash-key") ? .hash : .index
      if options.enforcement == .hash, options.nullKey == .group {
        throw UsageError(
          "--hash-key cannot be used with --null-key group: a key that contains NULL has no hash")
      }
    }
  }

  var namesKey: Bool { !keyTexts.isEmpty }

  /// The names in the key.
  ///
  /// - Parameter known: the existing names; a text that equals one of them is not split at commas.
  func key(known: [String]) throws(UsageError) -> [String] {
    try ParsedArguments.names(in: keyTexts, option: "key", known: known)
  }

  /// The options, with the names to ignore.
  ///
  /// - Parameter known: as for `key`.
  func options(known: [String]) throws(UsageError) -> DeduplicationOptions {
    var options = options
    options.ignored = try ParsedArguments.names(in: ignoreTexts, option: "ignore", known: known)
    return options
  }

  private static func reference(_ text: String) throws(UsageError) -> NamedReference {
    let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
    if sides.count == 2, let dot = sides[0].lastIndex(of: "."), !sides[0].hasPrefix("."),
      !sides[0].hasSuffix(".")
    {
      let target = sides[1].split(
        separator: ".", maxSplits: 1, omittingEmptySubsequences: false
      ).map(String.init)
      if !target.contains("") {
        return NamedReference(
          child: String(sides[0][..<dot]), column: String(sides[0][dot...].dropFirst()),
          parent: target[0], parentColumn: target.count == 2 ? target[1] : nil)
      }
    }
    throw UsageError(
      "--references '\(text)' is not a reference such as comment.issue_id=issue.id, or "
        + "comment.issue_id=issue for row ids")
  }

  /// Returns the layout, or refuses a key that names a column twice.
  func checked(_ layout: TableLayout) throws(UsageError) -> TableLayout {
    let columns = layout.keyColumns
    for (index, column) in columns.enumerated()
    where columns[..<index].contains(where: { $0.utf8.elementsEqual(column.utf8) }) {
      throw UsageError("--key names \(column) twice; name it once")
    }
    return layout
  }

  /// The run to undo, if the first positional argument is a number.
  private static func run(
    _ arguments: ParsedArguments, isUndoing: Bool
  ) throws(ToolFailure) -> Int64? {
    guard let text = arguments.positionals.first,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    guard isUndoing else {
      throw ToolFailure(
        .usage, "\(text): a run can only be named with --undo; name the store with --store")
    }
    guard let run = Int64(text), run > 0 else {
      throw ToolFailure(
        .usage, "\(text) is not a run; the table poikit_run lists the runs by number")
    }
    return run
  }
}

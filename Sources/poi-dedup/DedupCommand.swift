import POIKit
import ToolSupport

/// The options of `poi-dedup`, and what they ask for.
struct DedupCommand {
  /// What the tool is to do.
  enum Task {
    case deduplicate
    /// Only find and decide.
    case plan
    /// Put back what a run removed; the latest where none is named.
    case undo(run: Int64?)
    /// Only the digest of the table.
    case digest
    /// Only take out removals that are older than that.
    case purge(olderThan: Duration)

    /// Whether it does nothing but tell something.
    var isQuestion: Bool {
      switch self {
      case .plan, .digest: true
      case .deduplicate, .undo, .purge: false
      }
    }
  }

  let storePath: String
  /// Whether the database's own schema may call any function and virtual table.
  let trustsSchema: Bool
  let table: String?
  /// What identifies a record, as given: each text is a name, or names with commas between them.
  private let keyTexts: [String]
  let timestamp: String?
  let task: Task
  let isReportJSON: Bool
  var options = DeduplicationOptions()

  init(_ arguments: ParsedArguments) throws {
    storePath = arguments.text("store") ?? "poi.sqlite"
    trustsSchema = arguments.flag("trust-schema")
    table = arguments.text("table")
    keyTexts = arguments.texts("key")
    timestamp = arguments.text("timestamp")
    isReportJSON = arguments.choice("report", as: OptionDescription.ReportForm.self) == .json
    let isUndoing = arguments.flag("undo")
    let run = try DedupCommand.run(arguments, isUndoing: isUndoing)
    let age = try arguments.duration("purge-tombstones")
    task =
      if let age {
        .purge(olderThan: age)
      } else if isUndoing {
        .undo(run: run)
      } else {
        arguments.flag("dry-run") ? .plan : arguments.flag("digest") ? .digest : .deduplicate
      }
    options.keep = arguments.choice("keep", as: KeepRule.self) ?? options.keep
    options.nullKey = arguments.choice("null-key", as: NullKeyRule.self) ?? options.nullKey
    options.arrays = arguments.choice("arrays", as: ArrayRule.self) ?? options.arrays
    options.mergesLosers = arguments.flag("merge-losers")
    options.batchSize = try arguments.integer("batch", in: 1...1_000_000)
    options.memoryBudget =
      try arguments.byteCount("memory", in: 1 << 20...1 << 40) ?? options.memoryBudget
    options.archive = !arguments.flag("no-archive")
    if arguments.flag("enforce") {
      options.enforcement = arguments.flag("hash-key") ? .hash : .index
      if options.enforcement == .hash, options.nullKey == .group {
        throw UsageError(
          "--hash-key gives a key with a NULL no hash, so it does not go with --null-key group")
      }
    }
  }

  /// Whether a key is given.
  var namesKey: Bool { !keyTexts.isEmpty }

  /// The names in the key.
  ///
  /// - Parameter known: the names that there are; a text that is just one of them is not split.
  func key(known: [String]) throws(UsageError) -> [String] {
    var names: [String] = []
    for text in keyTexts {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard !known.contains(text) else {
        names.append(text)
        continue
      }
      guard !parts.contains("") else {
        throw UsageError(
          "--key '\(text)' has an empty name; separate names by single commas")
      }
      names += parts
    }
    return names
  }

  /// Hands back a layout by the key that was given, in which no column stands twice.
  func checked(_ layout: TableLayout) throws(UsageError) -> TableLayout {
    let columns = layout.keyColumns
    for (index, column) in columns.enumerated()
    where columns[..<index].contains(where: { $0.utf8.elementsEqual(column.utf8) }) {
      throw UsageError("--key names \(column) twice; name it once")
    }
    return layout
  }

  /// The run to put back, which may stand behind `--undo`.
  private static func run(
    _ arguments: ParsedArguments, isUndoing: Bool
  ) throws(ToolFailure) -> Int64? {
    guard let text = arguments.positionals.first else { return nil }
    guard isUndoing else {
      throw ToolFailure(
        .usage, "\(text): a run is named to be put back with --undo; name the store with --store")
    }
    guard let run = Int64(text), run > 0 else {
      throw ToolFailure(
        .usage, "\(text) is no run; the table poikit_run lists them by their numbers")
    }
    return run
  }
}

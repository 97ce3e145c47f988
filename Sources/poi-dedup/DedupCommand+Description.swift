import POIKit
import ToolSupport

extension DedupCommand {
  /// The table that parsing, help, manual page, completions and the README follow.
  static let description = CommandDescription(
    name: "poi-dedup",
    version: POIKitVersion.current,
    summary: "keep one record of each group of duplicates, the same on every device",
    positional: PositionalDescription(
      "RUN", .zeroOrOne, help: "with --undo, the number of the run to put back"),
    options: [
      OptionDescription(
        "store", short: "s", .value("PATH"), default: "poi.sqlite",
        summary: "a store of poi-import, or any SQLite database", section: "What to deduplicate",
        environmentVariable: "POI_STORE"),
      OptionDescription(
        "table", short: "t", .value("NAME"),
        summary: "the table; by default the store's only table of records",
        section: "What to deduplicate"),
      OptionDescription(
        "key", short: "k", .value("NAME[,NAME…]"), isRepeatable: true,
        summary: "what identifies a record; by default the model's key",
        detail: "Attributes of the model, or columns of another table. Rows with equal values in "
          + "all of them are duplicates.",
        section: "What to deduplicate"),
      OptionDescription(
        "timestamp", .value("COLUMN"),
        summary: "when a record was last changed; by default the model's timestamp",
        detail: "Numbers are compared as they are, texts are read as RFC 3339 or as SQLite writes "
          + "dates.",
        section: "What to deduplicate"),
      .trustSchema(section: "What to deduplicate"),
      OptionDescription(
        "null-key", .choice(NullKeyRule.allCases.map(\.rawValue)), default: "keep",
        summary: "leave rows alone whose key has a NULL, or group them by it",
        section: "What to deduplicate"),
      OptionDescription(
        "keep", .choice(KeepRule.allCases.map(\.rawValue)), default: "newest",
        summary: "which record of a group stays", section: "What to deduplicate"),
      OptionDescription(
        "arrays", .choice(ArrayRule.allCases.map(\.rawValue)), default: "move",
        summary: "what becomes of the rows of a loser's arrays",
        detail: "With move they go to the winner, but for those that it has too. With winner it "
          + "keeps its own only, as when records are merged while they are imported.",
        section: "What to deduplicate"),
      OptionDescription(
        "merge-losers",
        summary: "fill the winner's missing values from its losers, the next best first",
        detail: "Or by the rule that the model states for an attribute with x-merge. All losers of "
          + "a record are then removed in one transaction.",
        section: "What to deduplicate"),
      OptionDescription(
        "dry-run", short: "n", summary: "print the plan and change nothing",
        detail: "It can be added to any deduplication.", section: "What to do"),
      OptionDescription(
        "enforce", summary: "make the key unique afterwards, with an index",
        section: "What to do"),
      OptionDescription(
        "hash-key",
        summary: "with --enforce, keep the key as a hash of 16 bytes in a column of its own",
        detail: "For keys of long or several attributes, in the toolkit's own tables. Not where "
          + "strangers choose the keys: who wants to can make two with one hash, and one is refused.",
        section: "What to do", with: "enforce"),
      OptionDescription(
        "undo", summary: "put back what the latest deduplication removed, or RUN",
        section: "What to do"),
      OptionDescription(
        "digest", summary: "print the digest of the table and change nothing",
        detail: "With --key, of an app's own table, the one that deduplicating by it prints.",
        section: "What to do"),
      OptionDescription(
        "purge-tombstones", .value("AGE"),
        summary: "delete marked rows and forget removals whose timestamp is older than AGE",
        detail:
          "AGE is a number with s, m, h, d or w, such as 90d. An older record of such a key is a "
          + "new one from then on; --undo does not bring it back.",
        section: "What to do"),
      OptionDescription(
        "no-archive", summary: "do not keep the losers; the run cannot be undone",
        section: "How to do it"),
      OptionDescription(
        "batch", short: "b", .value("N"), default: "500", summary: "losers in one transaction",
        section: "How to do it"),
      OptionDescription(
        "jobs", short: "j", .value("N"), default: "2",
        summary: "threads: 1, or 2 to compute the digest beside other work",
        detail: "The result is the same.", section: "How to do it"),
      OptionDescription(
        "memory", .value("SIZE"), default: "64MiB",
        summary: "memory for sorting; what does not fit goes to temporary files",
        section: "How to do it"),
      .report,
    ],
    tasks: [
      TaskDescription("undo", heeds: ["store", "trust-schema", "report"]),
      TaskDescription("digest", heeds: ["store", "table", "key", "trust-schema", "report"]),
      TaskDescription("purge-tombstones", heeds: ["store", "table", "trust-schema", "report"]),
    ],
    exitCodes: [
      .done, .usage,
      .dataError.meaning(
        "rows stand in the way: their timestamps are of two kinds, others refer to them and cannot "
          + "be moved, a value or the key cannot be kept, or a trigger or a constraint refuses a "
          + "change; or the schema calls what only --trust-schema allows"),
      .noInput.meaning("no such store"), .internalError, .ioError, .interrupted,
    ],
    examples: [
      .init("poi-dedup --key identifier", "keep the newest record of each identifier"),
      .init("poi-dedup --key name,city --dry-run", "look what another key would do"),
      .init("poi-dedup --key identifier --enforce", "and make the identifier unique"),
      .init("poi-dedup --undo", "put the losers of the latest run back"),
      .init(
        "poi-dedup --store app.sqlite --table place --key uuid --timestamp modified",
        "any SQLite table"),
    ])
}

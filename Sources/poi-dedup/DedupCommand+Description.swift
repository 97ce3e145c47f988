import POIKit
import POIToolSupport

extension DedupCommand {
  /// The table behind parsing, help, manual page, completions and reference.
  static let description = CommandDescription(
    name: "poi-dedup",
    version: ToolkitVersion.current,
    summary: "keep one record of each group of duplicates, the same on every device",
    positional: .init(
      "STORE", isRepeatable: true,
      help: "the same as --store STORE; with --undo, a number is the run to undo"),
    options: [
      OptionDescription(
        "store", short: "s", "PATH", isRepeatable: true, default: "poi.sqlite",
        summary: "a store of poi-import, or any SQLite database",
        detail: "Only --digest takes several.", section: "What to deduplicate",
        environmentVariable: "POI_STORE"),
      OptionDescription(
        "table", short: "t", "TABLE",
        summary: "the table (default: the store's only table of records that is not empty)",
        section: "What to deduplicate"),
      OptionDescription(
        "key", short: "k", "NAME[,NAME…]", isRepeatable: true,
        summary: "what identifies a record (default: the model's key)",
        detail: "Names of attributes, or of columns if the table is not of the toolkit. Rows with "
          + "equal values in all of them are duplicates.",
        section: "What to deduplicate"),
      OptionDescription(
        "timestamp", "COLUMN",
        summary: "when a record was last changed (default: the model's timestamp)",
        detail:
          "Numbers are compared as numbers. Text is read as ISO 8601, RFC 2822, or a form such as "
          + "02.11.2017 17:27.",
        section: "What to deduplicate"),
      .trustSchema(section: "What to deduplicate"),
      OptionDescription(
        "null-key",
        "RULE",
        choices: .cases { (rule: DeduplicationOptions.NullKeyRule) in rule.meaning },
        summary:
          "what to do with rows whose key contains NULL (default: the model's rule, or keep)",
        detail: "With the key of its model, a table keeps the rule for later runs and imports.",
        section: "What to deduplicate"),
      OptionDescription(
        "keep",
        "WHICH",
        choices: .cases { (rule: DeduplicationOptions.KeepRule) in
          switch rule {
          case .newest: "the record with the latest timestamp"
          case .oldest: "the record with the earliest timestamp"
          }
        },
        default: DeduplicationOptions.KeepRule.newest.rawValue,
        summary: "which record of a group stays", section: "What to deduplicate"),
      OptionDescription(
        "ties", "RULE", choices: .cases { (rule: TieRule) in rule.meaning },
        summary:
          "which of two records stays if neither is newer (default: later if the model has no "
          + "timestamp, else digest)",
        detail: "The table keeps the rule. The row ids tell which record came later, in a table of "
          + "poi-import, by the key of its model, and while no key is enforced; otherwise digest decides.",
        section: "What to deduplicate"),
      OptionDescription(
        "ignore", "NAME[,NAME…]", isRepeatable: true,
        summary: "attributes or columns that break no ties, such as the counters of one device",
        section: "What to deduplicate"),
      OptionDescription(
        "references", "CHILD.COLUMN=PARENT[.COLUMN]", isRepeatable: true,
        summary: "a column that refers to rows of PARENT, by their row ids or by COLUMN",
        detail:
          "For references that are no foreign keys, as in the stores of Core Data. They move to the "
          + "winner like foreign keys. The database keeps them in poikit_reference.",
        section: "What to deduplicate"),
      OptionDescription(
        "arrays",
        "RULE",
        choices: .cases { (rule: DeduplicationOptions.ArrayRule) in
          switch rule {
          case .move: "move those that the winner lacks to the winner"
          case .winner: "keep only the winner's own, as a merging import does"
          }
        },
        default: DeduplicationOptions.ArrayRule.move.rawValue,
        summary: "what to do with rows of a loser's arrays", section: "What to deduplicate"),
      OptionDescription(
        "merge-losers",
        summary: "fill the winner's NULL attributes from its losers, best first",
        detail: "If the model states x-merge for an attribute, that rule decides. All losers of "
          + "one record are removed in one transaction.",
        section: "What to deduplicate"),
      OptionDescription(
        "dry-run", short: "n", summary: "print the plan; change nothing",
        section: "What to do"),
      OptionDescription(
        "enforce", summary: "make the key unique afterwards, with an index",
        section: "What to do"),
      OptionDescription(
        "hash-key",
        summary: "with --enforce, index a 16-byte hash of the key instead of the key",
        detail: "It saves space if keys are long or have several attributes. Only for tables of "
          + "the toolkit. Do not use it if strangers choose the keys: they can construct two keys "
          + "with one hash, and one of the records is then refused.",
        section: "What to do", with: "enforce"),
      OptionDescription(
        "undo",
        summary:
          "restore what the latest deduplication removed, or a run that is named by its number",
        section: "What to do"),
      OptionDescription(
        "digest", summary: "print the digest of the table; change nothing",
        detail: "If the table is not of the toolkit, --key gives the digest that deduplicating by "
          + "this key prints. Of several stores it prints each digest and their sum, which is the digest of a "
          + "store with all of their rows.",
        section: "What to do"),
      OptionDescription(
        "dangling",
        summary: "list the references to missing rows; change nothing; exit 1 if there are any",
        detail: "It checks foreign keys, and references named by --references or a model.",
        section: "What to do"),
      OptionDescription(
        "purge-tombstones", "AGE",
        summary: "delete marked rows and forget removals that are older than AGE",
        detail:
          "AGE is a number with s, m, h, d or w, such as 90d. Afterwards an older record with "
          + "such a key is a new record. --undo does not restore purged rows. A local removal stays until "
          + "it is acknowledged.",
        section: "What to do"),
      OptionDescription(
        "no-archive", summary: "do not keep the losers; the run cannot be undone",
        section: "How to do it"),
      OptionDescription(
        "batch", short: "b", "N",
        summary:
          "losers removed in one transaction (default: 500 to 5000, as many as go in 100 ms)",
        section: "How to do it"),
      OptionDescription(
        "busy", "TIME", default: "5s",
        summary: "how long to wait for, or begin again because of, another program that writes",
        detail: "TIME is a number with s, m, h, d or w.", section: "How to do it"),
      OptionDescription(
        "memory", "SIZE", default: "64MiB",
        summary: "memory for sorting; larger tables use temporary files",
        section: "How to do it"),
      .report, .html(),
    ],
    tasks: [
      TaskDescription("undo", accepts: ["store", "busy", "trust-schema", "report"]),
      TaskDescription("dangling", accepts: ["store", "references", "trust-schema", "report"]),
      TaskDescription("digest", accepts: ["store", "table", "key", "trust-schema", "report"]),
      TaskDescription(
        "purge-tombstones", accepts: ["store", "table", "busy", "trust-schema", "report"]),
    ],
    exclusions: [["dry-run", "html"]],
    exitCodes: [
      .done, .rejected.meaning("with --dangling, references to missing rows exist"), .usage,
      .dataError.meaning(
        "the rows cannot be deduplicated: timestamps of two kinds, references that cannot move, a "
          + "value or key that cannot be kept, or a trigger or constraint that refuses a change; or the "
          + "schema needs --trust-schema"),
      .noInput.meaning("the store does not exist"), .internalError, .ioError, .interrupted,
    ],
    examples: [
      .init("poi-dedup --key identifier", "keep the newest record of each identifier"),
      .init("poi-dedup --key name,city --dry-run", "show what another key would do"),
      .init("poi-dedup --key identifier --enforce", "deduplicate and make the key unique"),
      .init(
        "poi-dedup --digest --store shard0.sqlite --store shard1.sqlite",
        "show the digest of one store with the rows of both"),
      .init("poi-dedup --undo", "restore the losers of the latest run"),
      .init("poi-dedup -s app.sqlite --dangling", "list the references to missing rows"),
      .init(
        "poi-dedup -s app.sqlite -t place --key uuid --timestamp modified",
        "deduplicate any SQLite table"),
    ])
}

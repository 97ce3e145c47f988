/// How duplicates are found and removed. Each comment ends with the default.
public struct DeduplicationOptions: Sendable, Hashable {
  /// Which record of a group stays: the newest.
  public var keep: KeepRule = .newest

  /// What decides between records that are equally new. If nil, the default: what the model says, else `later` in a
  /// table of the toolkit without a timestamp that is deduplicated by its model's key, else `digest`.
  public var ties: TieRule?

  /// The attributes or columns that take no part in breaking ties, such as columns of one device: none.
  public var ignored: [String] = []

  /// What happens to records that lack a part of the key: they are left alone.
  public var nullKey: NullKeyRule = .keep

  /// What happens to the rows of losers' to-many relations: they move to the winner.
  public var arrays: ArrayRule = .move

  /// Whether a winner gets values that its losers have, by the merge rules of the layout: no. If yes,
  /// all losers of a group are removed in one transaction.
  public var mergesLosers = false

  /// The number of losers removed in one transaction, at least 1. If nil, the default, a transaction
  /// ends after 500 removals and 100 ms since the last commit, and at 5,000 at the latest. A
  /// transaction exceeds this if a winner gets values from its losers that affect comparisons.
  public var batchSize: Int?

  /// The memory for sorting in bytes, at least 0: 64 MiB. The rest goes to temporary files; with 0,
  /// memory holds only a few entries.
  public var memoryBudget = 64 << 20

  /// The folder of temporary files: the environment's `TMPDIR`, or `/var/tmp`.
  public var temporaryFolder: String?

  /// Whether losers are archived, so that the pass can be undone: yes.
  public var archive = true

  /// How the database refuses duplicates afterwards: not at all.
  public var enforcement: KeyEnforcement = .none

  /// The maximum number of sample decisions in a plan: 10. All are held in memory. Zero or less means
  /// no samples.
  public var sampleCount = 10

  /// The options with their defaults.
  public init() {}

  /// The defaults, and an index that makes the key unique: later imports merge by it.
  public static var enforcingKey: DeduplicationOptions {
    var options = DeduplicationOptions()
    options.enforcement = .index
    return options
  }
}

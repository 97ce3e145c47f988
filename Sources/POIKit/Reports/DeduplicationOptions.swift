/// How duplicates are found and removed.
public struct DeduplicationOptions: Sendable, Hashable {
  /// Which record of a group stays; the newest.
  public var keep: KeepRule = .newest

  /// What becomes of records that lack a part of the key; they are left alone.
  public var nullKey: NullKeyRule = .keep

  /// What becomes of the rows of losers' relations to many; they move to the winner.
  public var arrays: ArrayRule = .move

  /// Whether a winner gets, by the merge rules of the layout, values that its losers have; it does
  /// not. The losers of one group are then removed in one transaction, however many they are.
  public var mergesLosers = false

  /// The losers removed in one transaction, at least 1. With nil, the default, a transaction ends once it
  /// has removed 500 and 100 ms have passed since the last commit, and at 5,000 at the latest.
  /// Where a winner gets something of its losers that counts when it is compared with them, more of one
  /// group may be.
  public var batchSize: Int?

  /// The memory for sorting, in bytes; 64 MiB. Not negative; with 0 only a few entries are held at once. What
  /// does not fit goes to temporary files.
  public var memoryBudget = 64 << 20

  /// Where temporary files are; the folder that the environment's `TMPDIR` names, or `/var/tmp`.
  public var temporaryFolder: String?

  /// Whether losers are archived, so that the pass can be undone; they are.
  public var archive = true

  /// How the database is to refuse duplicates afterwards; it is not.
  public var enforcement: KeyEnforcement = .none

  /// The most decisions that a plan shows as samples, all of which are held in memory; 10. None with 0 or
  /// less.
  public var sampleCount = 10

  /// The options with their defaults.
  public init() {}
}

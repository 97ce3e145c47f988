/// What a deduplication finds and decides before it changes anything.
public struct DeduplicationPlan: Sendable, Hashable {
  /// The rows of the table.
  public internal(set) var rowCount = 0

  /// The rows left alone because a part of their key is null.
  public internal(set) var nullKeyRowCount = 0

  /// The values in the timestamp column that are neither null nor a timestamp; such rows count as
  /// having none.
  public internal(set) var unreadableTimestampCount = 0

  /// A value in the timestamp column that is none.
  public struct UnreadableTimestamp: Sendable, Hashable {
    /// The id of its row.
    public let row: Int64

    /// The value as a message shows it, cut at about 60 bytes.
    public let value: String
  }

  /// That of them in the row of the lowest id; nothing where there are none.
  public internal(set) var firstUnreadableTimestamp: UnreadableTimestamp?

  /// The rows that a removal beats which is remembered; they go, and nothing stays in their place.
  public internal(set) var supersededRowCount = 0

  /// The different keys.
  public internal(set) var groupCount = 0

  /// The keys that more than one row has.
  public internal(set) var duplicateGroupCount = 0

  /// The rows that go, by the reason why.
  public internal(set) var reasons = ReasonCounts()

  /// The winners that would get values of their losers; 0 in the report of a run, which counts those
  /// that did.
  public internal(set) var filledWinnerCount = 0

  /// The values that they would get.
  public internal(set) var filledValueCount = 0

  /// The values that they would not get, because they would break a rule of the model with them.
  public internal(set) var refusedValueCount = 0

  /// The largest groups of duplicates, at most ten, the largest first.
  public internal(set) var largestGroups: [DuplicateGroup] = []

  /// Some of the decisions, at most as many as the options ask for.
  public internal(set) var samples: [DuplicateDecision] = []

  /// The triggers of the table that are not the toolkit's own, in the order of their names: what they
  /// change is neither in the plan nor archived.
  public internal(set) var triggers: [String] = []

  /// The bytes that did not fit the memory budget and went to temporary files.
  public internal(set) var spilledByteCount = 0

  /// The rows that go because another stays in their place.
  public var loserCount: Int { reasons.total }
}

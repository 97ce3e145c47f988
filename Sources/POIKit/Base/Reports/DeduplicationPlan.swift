/// What a deduplication finds and decides before it changes anything.
public struct DeduplicationPlan: Sendable, Hashable {
  /// The number of rows in the table.
  public internal(set) var rowCount = 0

  /// The number of rows left alone because a part of their key is NULL.
  public internal(set) var nullKeyRowCount = 0

  /// The number of values in the timestamp column that are neither NULL nor a timestamp. Such rows
  /// count as rows without a timestamp.
  public internal(set) var unreadableTimestampCount = 0

  /// A value in the timestamp column that is not a timestamp.
  public struct UnreadableTimestamp: Sendable, Hashable {
    /// The id of its row.
    public let row: Int64

    /// The value as a message shows it, cut at about 60 bytes.
    public let value: String
  }

  /// The unreadable timestamp with the lowest row id; nil if all are readable.
  public internal(set) var firstUnreadableTimestamp: UnreadableTimestamp?

  /// The number of rows superseded by a stored tombstone. They are removed without a replacement.
  public internal(set) var supersededRowCount = 0

  /// The number of distinct keys.
  public internal(set) var groupCount = 0

  /// The number of keys that more than one row has.
  public internal(set) var duplicateGroupCount = 0

  /// The number of groups that keep several rows, because the rows differ and the key is doubtful.
  public internal(set) var differingGroupCount = 0

  /// The number of losers for each reason.
  public internal(set) var reasons = ReasonCounts()

  /// The number of winners that would get values of their losers. In the report of a run: 0, because
  /// the report counts the winners that did.
  public internal(set) var filledWinnerCount = 0

  /// The number of values that winners would get.
  public internal(set) var filledValueCount = 0

  /// The number of values that winners would not get, because the result would break a rule of the
  /// model.
  public internal(set) var refusedValueCount = 0

  /// The largest duplicate groups, at most ten, the largest first.
  public internal(set) var largestGroups: [Group] = []

  /// Sample decisions, at most as many as the options ask for.
  public internal(set) var samples: [Decision] = []

  /// The triggers of the table except the toolkit's, sorted by name. Their changes are neither planned
  /// nor archived.
  public internal(set) var triggers: [String] = []

  /// The columns that look like references to the table and are not followed, if there are losers.
  public internal(set) var likelyReferences: [NamedReference] = []

  /// The number of bytes that went to temporary files because they exceeded the memory budget.
  public internal(set) var spilledByteCount = 0

  /// The number of rows that are removed because another row with their key stays.
  public var loserCount: Int { reasons.total }
}

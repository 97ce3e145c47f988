internal import POIRecords

/// What an import did.
public struct ImportReport: Sendable {
  /// What became of the records read; they balance: read is the sum of all others but `removed`.
  public struct Counters: Sendable, Hashable {
    /// Records read from the input, accepted or not.
    public var read = 0
    /// Records that are new rows; in a dry run, those that would be rows.
    public var inserted = 0
    /// Records that changed a stored row.
    public var updated = 0
    /// Records that the stored row says already; it was not written.
    public var unchanged = 0
    /// Records that are older than the stored row, or that a removal beats which is remembered.
    public var stale = 0
    /// Records that the policy `rollback` ignored, and removals that `store-trump` did, because their
    /// key is stored.
    public var ignored = 0
    /// Records that say that theirs was removed, by a model that deletes the rows of such.
    public var removals = 0
    /// Records that wait to be merged; 0 in a run that is finished.
    public var landed = 0
    /// Records refused.
    public var rejected = 0
    /// Stored rows that were removed, or marked as removed, because the snapshot lacks their keys.
    public var removed = 0

    /// Counters that are all 0.
    public init() {}

    /// The counters by the names that the report and the store have for them, `read` first.
    static var all: KeyValuePairs<String, WritableKeyPath<Counters, Int>> {
      [
        "read": \.read, "inserted": \.inserted, "updated": \.updated, "unchanged": \.unchanged,
        "stale": \.stale, "ignored": \.ignored, "removals": \.removals, "landed": \.landed,
        "rejected": \.rejected, "removed": \.removed,
      ]
    }

    /// The counters in their order, by name: `read`, those that add up to it, and `removed`.
    public var byName: [(name: String, count: Int)] {
      Counters.all.map { ($0.key, self[keyPath: $0.value]) }
    }

    var areBalanced: Bool { byName.dropFirst().reduce(0) { $0 + $1.count } == read + removed }
  }

  /// How a run ended.
  public enum Ending: String, Sendable, Hashable {
    /// All inputs were read, or as many records as were asked for.
    case finished
    /// The progress closure said stop; the run can be resumed, unless nothing had been read.
    case stopped
    /// The session threw an error; the report says what had been committed.
    case failed
  }

  /// The inputs read, by name, with where their records were found.
  public struct Input: Sendable, Hashable {
    /// The path as given, or `standard input`.
    public var name: String
    /// JSON pointer to the records; nothing for newline-delimited or concatenated records.
    public var pointer: String?
    /// Whether the pointer was found by the survey, not given.
    public var isPointerFound: Bool
    /// What stands at `ImportOptions.tokenPointer`; nothing where no token stands there.
    public var token: String?
    /// What stands there instead, where something does that is no token.
    public var otherAtToken: OtherValue?
    /// Its size, where it is known, in bytes.
    var byteCount: Int?

    package init(
      name: String, pointer: String?, isPointerFound: Bool, token: String? = nil,
      otherAtToken: OtherValue? = nil, byteCount: Int? = nil
    ) {
      self.name = name
      self.pointer = pointer
      self.isPointerFound = isPointerFound
      self.token = token
      self.otherAtToken = otherAtToken
      self.byteCount = byteCount
    }

    /// A value that is no token.
    public enum OtherValue: Sendable, Hashable {
      case object, array, null
    }
  }

  /// What became of the records.
  public var counters = Counters()

  /// The rejects by rule, in the order of the names. A record counts under the rule of its first
  /// issue.
  public var rejectsByRule: [(rule: String, count: Int)] = []

  /// Whether one of the rejects is an object, be it malformed.
  public var rejectsObjects = false

  /// The members that no attribute maps, by JSON pointer, in the order of the pointers.
  public var unmappedMembers: [(pointer: String, count: Int)] = []

  /// Members beyond the number of different names that are counted apart.
  public var otherUnmappedMemberCount = 0

  /// Whether the unmapped members are kept in a column.
  public var keepsUnmappedMembers = false

  /// The inputs that the run had begun at its last batch, in their order.
  public var inputs: [Input] = []

  /// Sum of the digests of all rows of the table after the run, as far as the run itself changed them
  /// where it was stopped; in a dry run, of the records that would be rows.
  public var digest = Digest.zero

  /// How many transactions were committed with records in them.
  public var batchCount = 0

  /// How the run ended.
  public var ending = Ending.finished

  /// The id of the run in the store's `poikit_run`; nothing in a dry run.
  public var runID: Int64?

  /// What became of records whose key was stored; nothing in a dry run.
  public var mergePolicy: MergePolicy?

  /// Whether the store holds the run as one that a session with `ImportOptions.isResuming` goes on with:
  /// something of it is committed, and it has not come to its end, as far as this session knows. Another
  /// process may have ended it.
  public var canBeResumed = false

  /// The number of records skipped because an earlier run had committed them.
  public var resumedAt: Int?
}

internal import POIFiles
internal import POIRecords

/// What an import did.
public struct ImportReport: Sendable {
  /// The outcomes of the records. `read` is the sum of all others except `removed`.
  public struct Counters: Sendable, Hashable {
    /// Records read from the input, accepted or not.
    public var read = 0
    /// Records that became new rows; in a dry run, records that would.
    public var inserted = 0
    /// Records that changed a stored row.
    public var updated = 0
    /// Records whose content equals the stored row, which was not written.
    public var unchanged = 0
    /// Records that are older than the stored row, or superseded by a stored tombstone.
    public var stale = 0
    /// Records that the policy `rollback` ignored, and removals that `store-trump` ignored, because
    /// their key is stored.
    public var ignored = 0
    /// Records that are removals, if the model deletes removed rows.
    public var removals = 0
    /// Records whose stored rows have local changes that were not acknowledged.
    public var kept = 0
    /// Records that are not merged yet; 0 in a finished run.
    public var landed = 0
    /// Records of other shards than `ImportOptions.shard`, which were left out.
    public var elsewhere = 0
    /// Rejected records.
    public var rejected = 0
    /// Stored rows that were deleted or marked as removed because the snapshot lacks their keys.
    public var removed = 0

    /// Counters that are all 0.
    public init() {}

    /// The counters by their names in reports and the store.
    static var all: KeyValuePairs<String, WritableKeyPath<Counters, Int>> {
      [
        "read": \.read, "inserted": \.inserted, "updated": \.updated, "unchanged": \.unchanged,
        "stale": \.stale, "ignored": \.ignored, "removals": \.removals, "kept": \.kept,
        "landed": \.landed, "elsewhere": \.elsewhere, "rejected": \.rejected, "removed": \.removed,
      ]
    }

    /// The counters with their names, in the order `read`, the parts of its sum, `removed`.
    public var byName: [(name: String, count: Int)] {
      Counters.all.map { ($0.key, self[keyPath: $0.value]) }
    }

    var areBalanced: Bool { byName.dropFirst().reduce(0) { $0 + $1.count } == read + removed }
  }

  /// How a run ended.
  public enum Ending: String, Sendable, Hashable {
    /// All inputs were read, or the record limit was reached.
    case finished
    /// The progress closure stopped the run. It can be resumed if any record was read.
    case stopped
    /// The session threw an error; the report counts what was committed.
    case failed
  }

  /// An input and the place of its records.
  public struct Input: Sendable, Hashable {
    /// The path as given, or `standard input`.
    public var name: String
    /// The JSON pointer to the records; nil for newline-delimited or concatenated records.
    public var pointer: String?
    /// Whether the survey found the pointer; false if it was given.
    public var isPointerFound: Bool
    /// The delimiter of the fields if the records are rows of delimited text.
    public var delimiter: Character?
    /// The columns that are left out, because no text can hold their values.
    public var omittedColumns: [String] = []
    /// The token at `ImportOptions.tokenPointer`; nil if there is no token.
    public var token: String?
    /// The kind of another value at that place; nil for a token or no value.
    public var otherAtToken: OtherValue?
    /// The version of an input on a web server that was read to its end.
    var version: InputVersion?
    /// The size in bytes, if known.
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
      /// A JSON object.
      case object
      /// A JSON array.
      case array
      /// A JSON null.
      case null
    }
  }

  /// The outcomes of the records.
  public var counters = Counters()

  /// The records that differ from the stored one with the same timestamp, or also without one. They also count
  /// as updated or stale, as the policy `newest` decided by `ties`.
  public var tiedCount = 0

  /// The records that are newer than the row that was kept.
  public var keptOlderCount = 0

  /// What decided between them.
  public var ties = TieRule.digest

  /// The accepted records in which an attribute of the key is null or missing. They are never compared with
  /// stored ones.
  public var keylessCount = 0

  /// How many of the first 1,000 keys of a run that appended were in the table before, and how many these keys are;
  /// nil if that was not looked up, as in a table that had no rows or more than 100,000.
  public var repeatedKeys: (count: Int, keyCount: Int)?

  /// The number of rows that this run brought back after a deduplication by another key had removed them, and
  /// that were removed again as duplicates.
  public var foldedCount = 0

  /// Why rows that a deduplication had removed stay although this run brought them back; nil if there is no such row.
  public var foldProblem: String?

  /// How many comments, byte-order marks and surplus commas were skipped between records.
  public var skippedCount = 0

  /// The rejects by rule, sorted by rule. A record counts under the rule of its first issue.
  public var rejectsByRule: [(rule: String, count: Int)] = []

  /// For each rule, the rejects by the attribute that violates it, if the issue names one.
  public var rejectsByAttribute: [String: [String: Int]] = [:]

  /// Whether a reject begins as an object, even if it is malformed.
  public var rejectsObjects = false

  /// The members that no attribute maps, by JSON pointer, sorted by pointer.
  public var unmappedMembers: [(pointer: String, count: Int)] = []

  /// The number of further unmapped members, after the limit of distinct pointers was reached.
  public var otherUnmappedMemberCount = 0

  /// The values that their columns cannot hold and that are kept with the unmapped members, by JSON pointer, with
  /// the first one as JSON; sorted by pointer.
  public var keptMembers: [(pointer: String, count: Int, example: String)] = []

  /// Whether the unmapped members are kept in a column.
  public var keepsUnmappedMembers = false

  /// The inputs that were begun up to the last batch, in order.
  public var inputs: [Input] = []

  /// The digest of the table after the run, the sum of its rows' digests. If the run was stopped, only
  /// its own changes are included. In a dry run, the sum of the records that would become rows.
  public var digest = Digest.zero

  /// The number of committed transactions with records.
  public var batchCount = 0

  /// How the run ended.
  public var ending = Ending.finished

  /// The id of the run in the store's `poikit_run`; nil in a dry run.
  public var runID: Int64?

  /// The policy for records whose key is stored; nil in a dry run.
  public var mergePolicy: MergePolicy?

  /// Whether the store holds an unfinished run with committed content that `ImportOptions.isResuming`
  /// can continue. Another process may have ended it since.
  public var canBeResumed = false

  /// The number of records skipped because an earlier run had committed them.
  public var resumedAt: Int?
}

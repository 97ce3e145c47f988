public import POIFiles
public import POIRecords
internal import POISQLite

/// How an import is run. The defaults are the same as in `poi-import`.
public struct ImportOptions: Sendable {
  /// The number of records in one transaction, at least 1. If nil, a batch ends after 500 records and
  /// 100 ms since the last commit, and at 5,000 records at the latest.
  public var batchSize: Int?

  /// The maximum size of a batch in memory in bytes, at least 1. A batch that reaches it is written
  /// early.
  public var batchByteLimit = 8 << 20

  /// The number of threads, at least 1. With 1, the caller's thread does all the work. With more, a
  /// second thread writes batches. A dry run always uses one thread. The result is the same.
  public var jobCount = 2

  /// The place of the records: a JSON pointer (RFC 6901) to an array of records, or to an object whose
  /// members are records. The step `*` leads to every member or element, so that `/groups/*/items` names the
  /// arrays of all groups; `~2` is a `*` in a name. If nil, a survey of the input finds it.
  public var pointer: String?

  /// Where an inference found the records of each input; nil if they are its top-level values.
  package var foundPlaces: [String?] = []

  /// Whether each input is one record.
  package var areInputsRecords = false

  /// Whether the records are arrays, and the first one is a header: it has the names of the members. The
  /// header of a top-level array is detected if the row after it does not have texts only. The columns of
  /// a Socrata export are also detected.
  public var hasHeader = false

  /// The delimiter of the fields if the inputs are delimited text (RFC 4180), an ASCII character such as `,` or TAB. If
  /// nil, a survey of the input finds out.
  public var delimiter: Character?

  /// The names of the columns, different and not empty, if the inputs have no header. Empty if they have one.
  public var columns: [String] = []

  /// The encoding of files if it is neither UTF-8 nor UTF-16 with a byte-order mark. Offsets in reports and rejects
  /// count the bytes of UTF-8.
  public var encoding: TextEncoding?

  /// The place of the source's token for the next request, such as `/meta/next`: a JSON pointer (RFC
  /// 6901) to a string, number or boolean outside the records.
  public var tokenPointer: String?

  /// The place of the address or token of the next page, beside the records: a JSON pointer. Then the inputs are pages of
  /// one answer, and the token is stored when all are read: the first one, because records may have changed since.
  package var nextPointer: String?

  /// The place of what is read beside the token of an input.
  var companionPointer: String? { page == nil ? nextPointer : ServerPage.epoch }

  /// Whether the token is stored at the end of the run.
  var keepsTokenAtEnd: Bool { isSnapshot || nextPointer != nil }

  /// The source of the inputs, if several servers feed a table. The store keeps a token for each
  /// source.
  public var source = ""

  /// The maximum number of records read, accepted or not; at least 0. It includes records read by
  /// earlier passes of a resumed run.
  public var recordLimit: Int?

  /// The part of the records to import; nil for all. The others are validated and counted as `elsewhere`. It cannot
  /// be a snapshot, and a resumed run keeps its shard.
  public var shard: Shard?

  /// The maximum of rejects; the run stops if there are more.
  public var rejectLimit: Limit?

  /// Whether the inputs are the complete set. If so, the end of the run removes stored rows whose keys
  /// the inputs lack. It removes nothing if a record was rejected, if there are no records, or if
  /// `removalLimit` is exceeded.
  public var isSnapshot = false

  /// The maximum of rows that a snapshot may remove, relative to the rows stored before it; nil for 20 %. After a
  /// snapshot that added rows but removed none, because it was refused, undone or did not end, the next one is refused
  /// unless it names a limit, and another one than that snapshot did.
  public var removalLimit: Limit?

  /// Whether a snapshot has no records, only their keys. Then it adds no rows.
  var isListOfKeys = false

  static let defaultRemovalLimit = Limit.percent(20)

  /// What happens when a record meets a stored one with the same key. If nil: `newest` for a snapshot
  /// and for a table with an enforced key, else `append`. A snapshot cannot append. Every policy except
  /// `append` makes an empty table enforce its key.
  public var mergePolicy: MergePolicy?

  /// What decides between records that are equally new. If nil: what the model says; else `later` for a snapshot and
  /// for a model without a timestamp, except in a shard; else `digest`. If `later` is named and no policy, the policy
  /// is `newest`. A resumed run keeps its rule.
  public var ties: TieRule?

  /// Chooses the policy for each record that meets a stored row; nil for `mergePolicy`.
  public var choosePolicy: PolicyChoice?

  /// Returns the policy for a record, from the stored row and the record: any but `append` and
  /// `newestByProperty`, with which the import fails.
  ///
  /// It is called on the thread that writes. The run itself has the policy `newest`, by which removals
  /// that delete rows are judged, too.
  public typealias PolicyChoice =
    @Sendable (_ stored: borrowing RecordView, _ record: borrowing RecordView) -> MergePolicy

  /// The names of all inputs in their order; nil if they are not known when the import begins. With them, an import
  /// fails at once if another one has begun one of these inputs and did not end, and only a run of the same or fewer
  /// inputs is resumed.
  public var inputNames: [String]?

  /// Whether to resume an unfinished run of the same inputs after its last committed batch. If
  /// `isRestarting` is also set, the run is resumed, and other unfinished runs of its later inputs are
  /// abandoned.
  public var isResuming = false

  /// Whether to abandon an unfinished run of the same input and start at its beginning. The rows that
  /// it committed stay.
  public var isRestarting = false

  /// A file that gets each reject as a line of JSON, in addition to the store's reject table. The
  /// reject file of an earlier run is emptied before the first batch. Refused are a file with other
  /// content, an input, and a path with NUL. An input is refused before it is emptied if it is the
  /// first one or in `inputNames`.
  public var rejectFile: String?

  /// The limits of one record.
  public var limits = RecordLimits()

  /// How far a timestamp may be ahead of the clock; nil for no limit. Records with a later timestamp
  /// are rejected, because they would win over all future records. A negative value requires timestamps
  /// that far in the past.
  public var maximumSkew: Duration? = .seconds(86_400)

  /// Returns the time at the beginning and end of a run.
  public var clock: @Sendable () -> Instant = SystemClock.now

  /// A monotonic clock that measures the time since the last commit.
  var elapsed: @Sendable () -> Duration = MonotonicClock.now

  /// The number of records merged directly before the others land, for inputs of unknown size.
  var directRecordLimit = 20_000

  /// The size in bytes beyond which all records of an input land.
  var directByteLimit = 8 << 20

  /// The number of rows in a block of the window by which records in the order of the rows are merged; 0 for none.
  var windowBlockSize = 4_096

  /// What the only input is, if it comes from the server of a synchronised table.
  var page: ServerPage?

  /// The options that decide which records of an input are read and stored, as a text.
  var readingText: String {
    let parts: [Any?] = [
      pointer, hasHeader, delimiter, columns, encoding, recordLimit, shard, isSnapshot, mergePolicy,
      ties, maximumSkew, limits, source,
    ]
    return parts.map { $0.map { "\($0)" } ?? "" }.joined(separator: "\n")
  }

  /// The options with their defaults.
  public init() {}

  /// Records of a server: a page of all, or what it has in place of what was pushed.
  enum ServerPage: Sendable {
    /// A page of a life of the server's records, which its answers name. It may delete some rows; nil for all.
    case page(epoch: String, removalLimit: Int?)
    /// An answer.
    case answer

    static let checkpoint = "/checkpoint"
    static let epoch = "/epoch"
  }

  /// One of several parts of the records. All records of a key are in the same one; records without a key are
  /// spread by their content.
  public struct Shard: Sendable, Hashable {
    /// The number of the shard, from 0.
    public var index: Int
    /// The number of all shards, greater than `index`.
    public var count: Int

    /// A shard of several.
    public init(_ index: Int, of count: Int) {
      self.index = index
      self.count = count
    }

    /// Whether there is such a shard.
    public var isValid: Bool { 0..<count ~= index }

    /// The notation of `poi-import --shard`, such as `0/4`.
    var notation: String { "\(index)/\(count)" }
  }

  /// A maximum, absolute or relative.
  public enum Limit: Sendable, Hashable {
    /// A number, at least 0.
    case count(Int)
    /// A percentage, at least 0.
    case percent(Double)

    var isValid: Bool {
      switch self {
      case .count(let limit): limit >= 0
      case .percent(let limit): limit >= 0
      }
    }

    /// The limit as the log of runs keeps it, such as `10` or `2.5%`.
    var notation: String {
      switch self {
      case .count(let limit): "\(limit)"
      case .percent(let limit): "\(limit)%"
      }
    }

    package func isExceeded(by count: Int, of all: Int) -> Bool { count > maximum(of: all) }

    /// The greatest number of `all` that it allows.
    package func maximum(of all: Int) -> Int {
      switch self {
      case .count(let limit): limit
      case .percent(let limit): Int(min(limit * Double(all) / 100, 1e18))
      }
    }
  }

  func exceedsRejectLimit(_ counters: ImportReport.Counters) -> Bool {
    rejectLimit?.isExceeded(by: counters.rejected, of: counters.read) ?? false
  }

  /// The limits of one record. A larger one is rejected without being held in memory.
  public struct RecordLimits: Sendable, Hashable {
    /// The range of `depth`.
    public static let depths = 1...10_000
    /// The range of `byteCount`. SQLite stores rows of up to 10^9 bytes.
    public static let byteCounts = 2...1 << 29
    /// The range of `stringByteCount`.
    public static let stringByteCounts = 1...1 << 29
    /// The range of `keysPerObject`.
    public static let keyCounts = 1...10_000_000

    /// The levels of nesting, in `depths`.
    public var depth = 128
    /// The bytes of one record, in `byteCounts`.
    public var byteCount = 16 << 20
    /// The bytes of one string or number, in `stringByteCounts`.
    public var stringByteCount = 4 << 20
    /// The members of one object, in `keyCounts`.
    public var keysPerObject = 10_000
    /// Whether `NaN`, `Infinity` and `-Infinity`, which are not JSON, are null. Otherwise a record with one is
    /// rejected.
    public var readsNaNAsNull = false

    /// The limits with their defaults.
    public init() {}
  }
}

public import POIRecords
internal import SQLiteKit

/// How an import is run. The defaults are those of `poi-import`.
public struct ImportOptions: Sendable {
  /// How many records are written in one transaction, at least 1. With nil, a batch ends once it
  /// holds 500 records and 100 ms have passed since the last commit, and at 5,000 records at the latest.
  public var batchSize: Int?

  /// How many bytes the records and rejects of a batch take in memory; one that reaches it is written
  /// early. In bytes, at least 1.
  public var batchByteLimit = 8 << 20

  /// How many threads an import uses, at least 1: with 1 the caller's thread does all, with more a thread of
  /// the import's own writes the batch before. A dry run, which writes nothing, uses the caller's thread
  /// alone. The result is the same.
  public var jobCount = 2

  /// Where the records stand in the input: a JSON pointer (RFC 6901) to an array of records or an
  /// object whose members are records. Found by a survey of the input where there is none.
  public var pointer: String?

  /// Where the source's own token for the next request stands in the input, such as `/meta/next`: a
  /// JSON pointer (RFC 6901) to a string, number or boolean outside of the records.
  public var tokenPointer: String?

  /// What the inputs come from, where a table is fed by several servers: the store keeps a token for
  /// each.
  public var source = ""

  /// How many records are read at most, accepted or not; not negative. Those count, too, that earlier
  /// passes of a resumed run read.
  public var recordLimit: Int?

  /// How many rejects the run may have before it stops.
  public var rejectLimit: Limit?

  /// The inputs are the complete set: stored rows with a key that they do not hold are removed at the
  /// end of the run, unless a record was rejected, there is no record or more rows than
  /// `removalLimit` would go.
  public var isSnapshot = false

  /// How many a snapshot may remove of the rows that were there before it.
  public var removalLimit = Limit.percent(20)

  /// What happens when a record meets a stored one with the same key. Where none is named: `newest`
  /// for a snapshot and in a table whose key is enforced, else `append`, which a snapshot cannot have.
  /// Any policy but `append` makes an empty table enforce its key.
  public var mergePolicy: MergePolicy?

  /// Chooses the policy for each record that meets a stored row; nil for `mergePolicy`.
  public var choosePolicy: PolicyChoice?

  /// Returns the policy for a record, from the stored row and the record: any but `append` and
  /// `newestByProperty`, which end the program.
  ///
  /// It is called on the thread that writes. The run itself has the policy `newest`, by which removals
  /// that delete rows are judged, too.
  public typealias PolicyChoice =
    @Sendable (_ stored: borrowing RecordView, _ record: borrowing RecordView) -> MergePolicy

  /// The names of the run's inputs in their order, where they are known from the beginning: nothing is
  /// read where an unfinished import has begun one of them, and a run that began with more is not
  /// resumed.
  public var inputNames: [String]?

  /// Go on after the last committed batch of an unfinished run over the same inputs. Where
  /// `isRestarting` is set as well, that run is resumed, and others that have begun one of its later
  /// inputs are given up.
  public var isResuming = false

  /// Give up an unfinished run of the same input and start at its beginning; the rows it committed
  /// stay.
  public var isRestarting = false

  /// A file that gets each reject as a line of JSON, as the store's reject table does. One of an earlier
  /// run is emptied before the first batch; a file that holds something else is refused. So is one that
  /// is an input, before it is emptied where it is the first one or among `inputNames`, and a path with
  /// a NUL in it.
  public var rejectFile: String?

  /// What one record of the input may be at most.
  public var limits = RecordLimits()

  /// How far ahead of the clock a timestamp may be; a record with a later one is rejected, because
  /// it would win over every record to come. A negative one asks for timestamps so far behind the clock.
  /// Nothing accepts any.
  public var maximumSkew: Duration? = .seconds(86_400)

  /// Asked for the time at the beginning and end of a run.
  public var clock: @Sendable () -> Instant = SystemClock.now

  /// Tells how long the last commit is ago; it never goes back.
  var elapsed: @Sendable () -> Duration = MonotonicClock.now

  /// How many records are merged at once before the others land, in inputs of unknown size.
  var directRecordLimit = 20_000

  /// The size of an input, in bytes, beyond which all of its records land.
  var directByteLimit = 8 << 20

  /// The options with their defaults.
  public init() {}

  /// How many of a whole are allowed.
  public enum Limit: Sendable, Hashable {
    /// So many; not negative.
    case count(Int)
    /// So many of a hundred; not negative.
    case percent(Double)

    var isValid: Bool {
      switch self {
      case .count(let limit): limit >= 0
      case .percent(let limit): limit >= 0
      }
    }

    func isExceeded(by count: Int, of all: Int) -> Bool {
      switch self {
      case .count(let limit): count > limit
      case .percent(let limit): Double(count) * 100 > limit * Double(all)
      }
    }
  }

  /// Whether a run that counted so has more rejects than it may have.
  func exceedsRejectLimit(_ counters: ImportReport.Counters) -> Bool {
    rejectLimit?.isExceeded(by: counters.rejected, of: counters.read) ?? false
  }

  /// What one record may be at most; a larger one is rejected without being held in memory.
  public struct RecordLimits: Sendable, Hashable {
    /// What `depth` may be.
    public static let depths = 1...10_000
    /// What `byteCount` may be: SQLite keeps rows of up to 10^9 bytes.
    public static let byteCounts = 2...1 << 29
    /// What `stringByteCount` may be.
    public static let stringByteCounts = 1...1 << 29
    /// What `keysPerObject` may be.
    public static let keyCounts = 1...10_000_000

    /// Levels of nesting, in `depths`.
    public var depth = 128
    /// Bytes of one record, in `byteCounts`.
    public var byteCount = 16 << 20
    /// Bytes of one string or number, in `stringByteCounts`.
    public var stringByteCount = 4 << 20
    /// Members of one object, in `keyCounts`.
    public var keysPerObject = 10_000

    /// The limits with their defaults.
    public init() {}
  }
}

/// What a program or its user can do after an error. The tools translate it into their options.
public enum Advice: Sendable, Hashable {
  /// Resume the unfinished run: `ImportOptions.isResuming`.
  case resume
  /// Abandon the unfinished run and start again: `ImportOptions.isRestarting`. Its committed rows stay.
  case restart
  /// Import without `ImportOptions.isResuming`.
  case startWithoutResuming
  /// Name the inputs of the unfinished run, in the same order.
  case nameSameInputs
  /// Name the shard of the unfinished run, or none: `ImportOptions.shard`.
  case nameSameShard
  /// Name the place of the records: `ImportOptions.pointer`.
  case nameRecords
  /// Say that the records are arrays below a header: `ImportOptions.hasHeader`.
  case readHeader
  /// Name the delimiter if they are rows of text: `ImportOptions.delimiter`.
  case nameDelimiter
  /// Name the columns of rows: `ImportOptions.columns`.
  case nameColumns
  /// Name the encoding: `ImportOptions.encoding`.
  case nameEncoding
  /// Name one of these places of the records, the likeliest first: `ImportOptions.pointer`.
  case chooseRecords(at: [String])
  /// Import without `ImportOptions.pointer`.
  case omitPointer
  /// Use this policy: `ImportOptions.mergePolicy`.
  case use(MergePolicy)
  /// Use another policy: `ImportOptions.mergePolicy`.
  case useOtherPolicy
  /// Import as a snapshot, or not as one: `ImportOptions.isSnapshot`.
  case snapshot(Bool)
  /// Name the source, or omit it: `ImportOptions.source`.
  case nameSource(Bool)
  /// Write rejects to another file: `ImportOptions.rejectFile`.
  case useOtherRejectFile
  /// Raise a limit.
  case raise(Limit)
  /// Raise a limit, and resume the unfinished run.
  case raiseAndResume(Limit)
  /// Name how many rows a snapshot may remove: `ImportOptions.removalLimit`.
  case nameRemovalLimit
  /// Name one of several tables.
  case nameTable
  /// Name the attributes or columns that identify a record.
  case nameKey
  /// Name the inferred key, if it identifies a record.
  case confirmKey([String])
  /// Use another file as the store.
  case useOtherStore
  /// Trust the schema of the database, if its author is known.
  case trustSchema
  /// Deduplicate by these columns, or by the model's key if they are empty, and enforce the key, by an index
  /// or a hash.
  case enforce(key: [String], DeduplicationOptions.KeyEnforcement)
  /// Undo the run that enforced the key: `Store.undo(run:)`.
  case undoEnforcement
  /// Delete old tombstones: `Store.purgeTombstones(of:olderThan:clock:)`.
  case purgeTombstones
  /// Track the local changes of this table again: `Store.track(_:)`.
  case track(table: String)
  /// End the tracking of this table's local changes: `Store.untrack(_:discardingAll:)`.
  case untrack(table: String)
  /// Discard the local changes: `Store.untrack(_:discardingAll:)`.
  case discardAll
  /// Import with the model of this table: `Store.model(ofTable:)`.
  case useModel(ofTable: String)

  /// The limits that can be raised.
  public enum Limit: Sendable, Hashable, CaseIterable {
    /// `ImportOptions.RecordLimits.depth`
    case depth
    /// `ImportOptions.RecordLimits.byteCount`
    case recordBytes
    /// `ImportOptions.RecordLimits.stringByteCount`
    case stringBytes
    /// `ImportOptions.RecordLimits.keysPerObject`
    case keys
    /// `ImportOptions.maximumSkew`
    case skew
    /// `ImportOptions.rejectLimit`
    case rejects
    /// `ImportOptions.removalLimit`
    case removals

    /// The limit that a rule checks; nil if it checks no limit.
    public init?(rule: String) {
      switch rule {
      case "depth": self = .depth
      case "element-bytes": self = .recordBytes
      case "string-bytes": self = .stringBytes
      case "keys-per-object": self = .keys
      case "skew": self = .skew
      default: return nil
      }
    }
  }
}

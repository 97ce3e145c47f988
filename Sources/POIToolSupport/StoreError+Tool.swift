internal import POIFiles
public import POIKit
internal import POISQLite

extension StoreError {
  /// The exit code of a tool that ends with this error.
  public var exitCode: ExitCode {
    switch code {
    case .notAStore, .newerFormat, .modelDiffers, .noSuchTable, .noSuchColumn, .unsupportedTable,
      .invalidOptions, .unfinishedRun, .cannotResume, .cannotUndo:
      .usage
    case .unreadable, .tooManyRejects, .conflict, .snapshotRefused, .mixedTimestamps, .keyNotUnique,
      .unmovableReference, .unmergeableValue, .interferingTrigger, .undecodable,
      .invalidRecord:
      .dataError
    case .database where cause?.isUntrustedSchema == true || cause?.isConstraint == true: .dataError
    case .noInput: .noInput
    case .inputOutput, .changedByOther, .temporaryFile, .database: .ioError
    case .interrupted: .interrupted
    case .inUse, .internalCheck: .internalError
    }
  }
}

extension ToolFailure {
  /// The failure of a tool that ends with a library error.
  public init(_ error: StoreError) {
    // Ctrl-C also ends the program that decompresses the input; then the input is not damaged.
    guard !Interruption.isRequested || error.code != .unreadable else {
      self.init(.interrupted, "interrupted; --resume continues")
      return
    }
    self.init(error.exitCode, error.message.advised(by: error.advice))
  }
}

extension String {
  /// The message, followed by advice with the tools' options.
  public func advised(by advice: [Advice]) -> String {
    advice.isEmpty ? self : self + "; " + advice.map(\.text).joined(separator: ", or ")
  }
}

extension Advice {
  public var text: String {
    switch self {
    case .resume: "continue with --resume"
    case .restart: "begin again with --restart"
    case .startWithoutResuming: "start without --resume"
    case .nameSameInputs: "name the same inputs in the same order"
    case .nameSameShard: "use the same --shard, or none"
    case .nameRecords: "name where the records are with --at"
    case .readHeader: "use --header if they are arrays below a header"
    case .nameDelimiter: "name the delimiter with --delimiter if they are rows of text"
    case .nameColumns: "name all columns with --columns"
    case .nameEncoding:
      "name the encoding with --encoding "
        + TextEncoding.allCases.map(\.rawValue).joined(separator: " or ")
    case .chooseRecords: "choose with --at"
    case .omitPointer: "leave out --at"
    case .use(let policy): "use --merge \(policy.rawValue)"
    case .useOtherPolicy: "use another --merge policy"
    case .snapshot(true): "use --snapshot"
    case .snapshot(false): "leave out --snapshot"
    case .nameSource(true): "name the source with --source"
    case .nameSource(false): "leave out --source"
    case .useOtherRejectFile: "name another file with --rejects"
    case .raise(let limit): "raise the limit with \(limit.option)"
    case .raiseAndResume(let limit):
      "raise the limit with \(limit.option) and continue with --resume"
    case .nameRemovalLimit: "say with --max-removals how many rows may go"
    case .nameTable: "name one with --table"
    case .nameKey: "name the attributes with --key"
    case .useOtherStore: "name another file with --store"
    case .trustSchema: "if you trust the database, --trust-schema allows it"
    case .confirmKey(let key):
      "if it identifies a record, add --key \(key.joined(separator: ",").shellWord)"
    case .enforce(let key, let enforcement):
      "run poi-dedup\(key.isEmpty ? "" : " --key \(key.joined(separator: ","))") --enforce"
        + (enforcement == .hash ? " --hash-key" : "")
    case .undoEnforcement: "undo the run that enforced that key with poi-dedup --undo"
    case .purgeTombstones: "forget removals with poi-dedup --purge-tombstones"
    case .track(let table): "say poi-import --track --table \(table.shellWord)"
    case .untrack(let table): "end that with poi-import --untrack --table \(table.shellWord)"
    case .discardAll: "hand them out first, or discard them with --discard-all"
    case .useModel(let table): "use the model that poi-import --print-model \(table) prints"
    }
  }
}

extension Advice.Limit {
  /// The option that sets the limit.
  public var option: String {
    switch self {
    case .depth: "--max-depth"
    case .recordBytes: "--max-record-bytes"
    case .stringBytes: "--max-string-bytes"
    case .keys: "--max-keys"
    case .skew: "--max-skew"
    case .rejects: "--max-rejects"
    case .removals: "--max-removals"
    }
  }
}

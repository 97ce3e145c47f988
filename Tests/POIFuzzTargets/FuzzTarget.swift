/// The fuzz targets. Each accepts any bytes and throws a `FuzzFinding` if a property is violated.
///
/// `Tests/Fuzz/Corpus` has the inputs that the tests run again, in the folders that `corpora` names.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Reads elements of any shape, with recovery.
  case parser
  /// Loads a model.
  case model
  /// Reads a condition and selects rows with it.
  case condition
  /// Decodes, checks and stores records.
  case record
  /// Resumes an import with a damaged checkpoint or damaged landed records.
  case resume
  /// Opens and uses a store that is damaged or hostile.
  case store
  /// Exports the records of such a store in each format.
  case export
  /// Makes a store to ship of such a store.
  case ship
  /// Compares such a store with a sound one.
  case difference
  /// Infers a model from the input, or imports with an inferred model into such a store.
  case infer

  /// The targets that use a damaged store.
  public static let ofStores: [FuzzTarget] = [.store, .export, .ship, .difference, .infer]

  /// The folders with inputs of the target.
  public var corpora: [String] {
    switch self {
    case .export, .ship, .difference: [FuzzTarget.store.rawValue]
    case .infer: [FuzzTarget.store.rawValue, rawValue]
    default: [rawValue]
    }
  }

  /// Runs the target once.
  ///
  /// - Throws: `FuzzFinding`, and nothing else.
  public func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    switch self {
    case .parser: try FuzzTarget.readElements(&input)
    case .model: try FuzzTarget.loadModel(&input)
    case .condition: try FuzzTarget.readCondition(&input)
    case .record: try FuzzTarget.decodeRecords(&input)
    case .resume: try FuzzTarget.resumeImport(&input)
    case .store: try FuzzTarget.useStore(&input)
    case .export: try FuzzTarget.withStore(from: &input, FuzzTarget.exportRecords)
    case .ship: try FuzzTarget.withStore(from: &input, FuzzTarget.ship)
    case .difference: try FuzzTarget.withStore(from: &input, FuzzTarget.compare)
    case .infer: try FuzzTarget.inferModel(&input)
    }
  }

  /// Runs a target of `ofStores` once, with a store that has one damage.
  ///
  /// - Throws: `FuzzFinding`, and nothing else.
  public func run(onStoreDamagedBySeed seed: UInt64) throws {
    let use: (String, Int) throws -> Void
    switch self {
    case .export: use = FuzzTarget.exportRecords
    case .ship: use = FuzzTarget.ship
    case .difference: use = FuzzTarget.compare
    case .infer: use = FuzzTarget.importInferred
    default: use = FuzzTarget.use(_:_:)
    }
    try FuzzTarget.withStore(damagedBySeed: seed, use)
  }

  /// Throws a finding unless `condition` holds.
  static func expect(
    _ condition: Bool, _ message: @autoclosure () -> String
  ) throws(FuzzFinding) {
    if !condition { throw FuzzFinding(message: message()) }
  }
}

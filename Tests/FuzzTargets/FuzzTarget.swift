/// What the fuzzers run: each takes any bytes, and throws a `FuzzFinding` where something does not
/// hold that has to hold for all of them.
///
/// Bytes that were found to break something stay in `Tests/Fuzz/Corpus`, in the folder named like
/// the target, and are run again by the suite.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Reads elements of any shape, with recovery.
  case parser
  /// Loads a model.
  case model
  /// Decodes, checks and stores records.
  case record
  /// Resumes an import whose checkpoint, or what waits to be merged, is damaged.
  case resume
  /// Opens and uses a store that is damaged or was made by somebody hostile.
  case store

  /// Runs the target once.
  ///
  /// - Throws: `FuzzFinding`, and nothing else.
  public func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    switch self {
    case .parser: try FuzzTarget.readElements(&input)
    case .model: try FuzzTarget.loadModel(&input)
    case .record: try FuzzTarget.decodeRecords(&input)
    case .resume: try FuzzTarget.resumeImport(&input)
    case .store: try FuzzTarget.useStore(&input)
    }
  }

  /// Throws a finding unless `condition` holds.
  static func expect(
    _ condition: Bool, _ message: @autoclosure () -> String
  ) throws(FuzzFinding) {
    if !condition { throw FuzzFinding(message: message()) }
  }
}

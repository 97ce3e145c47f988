/// The fuzz targets. Each accepts any bytes and throws a `FuzzFinding` if a property is violated.
///
/// `Tests/Fuzz/Corpus` has a folder for each target, whose inputs the tests run again.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// Reads elements of any shape, with recovery.
  case parser
  /// Loads a model.
  case model
  /// Decodes, checks and stores records.
  case record
  /// Resumes an import with a damaged checkpoint or damaged landed records.
  case resume
  /// Opens and uses a store that is damaged or hostile.
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

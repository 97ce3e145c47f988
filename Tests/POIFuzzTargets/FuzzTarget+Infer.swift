import ModelInference
import POIKit

extension FuzzTarget {
  /// Half of the inputs are records to infer a model from; the others make a store to import into.
  static func inferModel(_ input: inout FuzzInput) throws {
    var copy = input
    if copy.choice(8) < 4 { return try withStore(from: &input, importInferred) }
    _ = input.byte()
    let isStrict = input.choice(2) == 1
    let bytes = input.remainder()
    try expectingExplanation {
      let model = try inferred(from: bytes, isStrict: isStrict)
      try importRecords(bytes, model, into: .inMemory())
    }
  }

  /// An import with an inferred model, into a table of its own or into the table that is there.
  static func importInferred(_ path: String, _ task: Int) throws {
    let model = try inferred(from: records, isStrict: task & 1 == 1)
    try importRecords(records, task & 2 == 2 ? .poi : model, into: open(path, for: .create))
  }

  /// A document that is inferred is a model, and printing it does not change it.
  private static func inferred(from bytes: [UInt8], isStrict: Bool) throws -> Model {
    var inference = try ModelInference(options: importOptions())
    try inference.read(.bytes(bytes))
    let document = try inference.finish(isStrict: isStrict)
    do {
      let model = try Model(parsing: document)
      let again = try Model(parsing: model.printedDocument)
      try expect(again.document == model.document, "printed it is \(again.document)")
      return model
    } catch let error as ModelError {
      throw FuzzFinding(message: "the inferred model is refused: \(error): \(document)")
    }
  }

  /// The digest of the import is the digest of the table.
  private static func importRecords(_ bytes: [UInt8], _ model: Model, into store: Store) throws {
    var options = importOptions()
    options.isRestarting = true
    var session = try ImportSession(into: store, model: model, options: options)
    try session.append(bytes.span)
    let report = try session.finish()
    guard report.counters.inserted == report.counters.read else { return }
    let found = try store.digest(of: model).digest
    try expect(found == report.digest, "the digest is \(found), not \(report.digest)")
  }
}

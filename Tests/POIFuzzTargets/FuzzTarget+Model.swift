import POIKit

extension FuzzTarget {
  /// A text is either refused, or a model that survives printing and loading and gets tables in a
  /// store.
  static func loadModel(_ input: inout FuzzInput) throws {
    let text = input.text()
    let model: Model
    do { model = try Model(parsing: text) } catch {
      return try expect(!error.message.isEmpty, "an error without a message")
    }
    let printed = model.printedDocument
    do {
      let again = try Model(parsing: printed)
      try expect(again.document == model.document, "printed it is \(again.document)")
      try expect(again.printedDocument == printed, "printed twice it differs")
    } catch let error as ModelError {
      throw FuzzFinding(message: "the printed model is refused: \(error): \(printed)")
    }

    var options = ImportOptions()
    options.jobCount = 1
    let store = try Store.inMemory()
    var session: ImportSession
    do {
      session = try ImportSession(into: store, model: model, options: options)
    } catch {
      throw FuzzFinding(message: "its tables cannot be made: \(error)")
    }
    do throws(StoreError) {
      try session.append(Array(#"{"id":1,"name":"a","at":0}{}[]"#.utf8).span)
      _ = try session.finish()
    } catch {
      throw FuzzFinding(message: "records cannot be stored: \(error)")
    }
    do {
      let kept = try store.model(ofTable: model.table)
      try expect(kept.document == model.document, "the store keeps \(kept.document)")
      _ = try store.digest(of: model)
    } catch let error as StoreError {
      throw FuzzFinding(message: "its store cannot be read: \(error)")
    }
  }
}

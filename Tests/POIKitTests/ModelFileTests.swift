import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ModelFileTests {
  @Test func `a missing file is named`() {
    let error = #expect(throws: ModelError.self) { _ = try Model(contentsOf: "/nonexistent.json") }
    #expect(error?.message.contains("/nonexistent.json") == true)
  }

  @Test func `the advice for a path without a model fits a model`() throws {
    let folder = try ScratchFolder()
    let page = try folder.write("<html>", to: "model.html")
    for (path, message) in [
      ("/nonexistent", "no such file; name a model file, a table of the store, or poi"),
      ("", "no such file; name a model file"),
      (folder.path, "is a directory; name the model file in it"),
      (page, "is not JSON; a model is a JSON Schema document"),
    ] {
      let error = #expect(throws: ModelError.self) { _ = try Model(contentsOf: path) }
      #expect(error?.message.contains(": \(message)") == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("standard input") == false, "\(error?.message ?? "")")
    }
  }

  @Test func `a file that is not a model is named with the reason`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("[]", to: "model.json")
    let error = #expect(throws: ModelError.self) { _ = try Model(contentsOf: path) }
    #expect(error?.message.contains("\(path): a model is a JSON object") == true)
  }

  @Test func `a compressed file that is cut off is named`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write([0x1F, 0x8B, 8, 0, 0, 0] as [UInt8], to: "model.json.gz")
    let error = #expect(throws: ModelError.self) { _ = try Model(contentsOf: path) }
    #expect(error?.message.contains("model.json.gz") == true, "\(error?.message ?? "")")
  }
}

import POIKitTestSupport
import POITestSupport
import Testing

@testable import ModelInference
@testable import POIKit

/// Options and inputs with which neither an import nor an inference can begin.
@Suite struct InferenceRefusalTests {
  @Test(arguments: [0, -1, Int.max])
  func `a limit that readers do not support is refused`(value: Int) {
    let limits: [WritableKeyPath<ImportOptions.RecordLimits, Int>] = [
      \.depth, \.byteCount, \.stringByteCount, \.keysPerObject,
    ]
    for limit in limits {
      var options = ImportOptions()
      options.limits[keyPath: limit] = value
      let errors = [
        #expect(throws: StoreError.self) {
          _ = try ImportSession(checking: .poi, options: options)
        },
        #expect(throws: StoreError.self) { _ = try ModelInference(options: options) },
      ]
      #expect(
        errors.allSatisfy {
          $0?.code == .invalidOptions && $0?.message.contains("\(value)") == true
        })
    }
  }

  @Test func `meaningless options are a usage error`() {
    func refusal(_ change: (inout ImportOptions) -> Void) -> String? {
      var options = ImportOptions()
      change(&options)
      do throws(StoreError) {
        _ = try ImportSession(checking: .poi, options: options)
        return nil
      } catch {
        #expect(error.code == .invalidOptions)
        return error.message
      }
    }
    #expect(refusal { _ in } == nil)
    #expect(refusal { $0.batchSize = 0 }?.contains("at least one record") == true)
    #expect(refusal { $0.jobCount = 0 }?.contains("at least one thread") == true)
    #expect(refusal { $0.isResuming = true }?.contains("a dry run leaves nothing") == true)
    #expect(refusal { $0.pointer = "a" }?.contains("\"a\"") == true)
    var options = ImportOptions()
    options.pointer = "a"
    let error = #expect(throws: StoreError.self) { _ = try ModelInference(options: options) }
    #expect(error?.code == .invalidOptions)
  }

  @Test func `an input that cannot restart needs a pointer if its records begin late`() throws {
    let long = String(repeating: " ", count: InputSurvey.byteLimit + 1)
    var session = try ImportSession(checking: .poi)
    var source = ImportFixture.Pipe("{\"a\":\(long)[{}]}".utf8)
    do {
      try session.importAll(from: &source)
      Issue.record("no error")
    } catch {
      #expect(error.message.contains("16 MiB") && error.advice == [.nameRecords], "\(error)")
    }
    var again = ImportFixture.Pipe("{\"a\":\(long)[{}]}".utf8)
    var inference = try ModelInference()
    do {
      try inference.read(from: &again)
      Issue.record("no error")
    } catch {
      #expect(error.message.contains("16 MiB") && error.advice == [.nameRecords], "\(error)")
    }
  }
}

import POIKit
import POITestSupport
import Testing

@Suite struct RuleDescriptionTests {
  @Test(arguments: RuleDescription.catalogue)
  func `every example gives the described result`(_ rule: RuleDescription) throws {
    let model = try Model(parsing: rule.model)
    #expect(!rule.accepted.isEmpty && !rule.rejected.isEmpty)
    for record in rule.accepted {
      let report = try report(on: record, model: model)
      #expect(report.counters.inserted == 1, "\(record): \(report.rejectsByRule)")
    }
    for record in rule.rejected {
      let report = try report(on: record, model: model)
      #expect(report.counters.inserted == 0, "\(record)")
      #expect(report.rejectsByRule.map(\.rule) == [rule.name], "\(record)")
    }
  }

  private func report(on record: String, model: Model) throws -> ImportReport {
    var options = ImportOptions()
    options.pointer = ""
    var session = try ImportSession(checking: model, options: options)
    try session.append(Array("[\(record)]".utf8).span)
    return try session.finish()
  }
}

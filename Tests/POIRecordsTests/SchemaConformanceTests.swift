import Foundation
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// The standard's own tests of JSON Schema 2020-12.
@Suite struct SchemaConformanceTests {
  static let suite = "json-schema-test-suite/draft2020-12"

  /// The files of the supported keywords and formats, in the order of the reference.
  static let claimed = [
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "pattern", "properties", "required",
    "additionalProperties", "minProperties", "maxProperties", "dependentRequired", "items",
    "minItems", "maxItems", "uniqueItems", "boolean_schema", "ref", "defs", "default",
    "optional/format/uuid", "optional/format/date-time", "optional/format/date",
    "optional/format/time", "optional/format/email", "optional/format/uri",
    "optional/format/json-pointer",
  ]

  /// The results of the tests of one file.
  struct Outcome {
    var groupCount = 0
    var caseCount = 0
    /// The number of groups refused when the model is read.
    var refusedCount = 0
    /// The keywords named as reasons.
    var reasons: Set<String> = []
  }

  @Test(.enabled(if: RealData.has(suite), "needs json-schema-test-suite"))
  func `every supported keyword passes the standard's suite`() throws {
    var table = "| keyword | groups run | cases passed | groups refused at load, for |\n"
    table += "|---|---|---|---|\n"
    for name in Self.claimed {
      let outcome = try run(name)
      #expect(outcome.groupCount + outcome.refusedCount > 0)
      let keyword =
        switch name {
        case "boolean_schema": "`true`, `false`"
        case "ref", "defs": "`$\(name)`"
        case _ where name.hasPrefix("optional/format/"):
          "`format`: `\(name.dropFirst("optional/format/".count))`"
        default: "`\(name)`"
        }
      let reasons = outcome.reasons.sorted().map { "`\($0)`" }.joined(separator: ", ")
      table += "| \(keyword) | \(outcome.groupCount) | \(outcome.caseCount) | "
      table += outcome.refusedCount == 0 ? "|\n" : "\(outcome.refusedCount): \(reasons) |\n"
    }
    print(table)
    try Page(path: "Reference/JSONSchemaConformance.md").check(part: "conformance", is: table)
  }

  /// `format.json` says that formats are only annotations; models enforce them.
  @Test(.enabled(if: RealData.has(suite), "needs json-schema-test-suite"))
  func `a schema with any other keyword is refused for it`() throws {
    let names = RealData.names(in: Self.suite, suffix: ".json").map { String($0.dropLast(5)) }
    for name in names where !Self.claimed.contains(name) && name != "format" {
      let outcome = try run(name)
      #expect(outcome.groupCount == 0, "\(name)")
      #expect(outcome.refusedCount > 0, "\(name)")
    }
    for group in try groups(of: "optional/format/duration") {
      let error = #expect(throws: ModelError.self) { _ = try Self.model(of: group).get() }
      #expect(error?.message.contains("\"duration\" cannot be enforced") == true)
    }
  }

  /// Runs the tests of one file.
  private func run(_ name: String) throws -> Outcome {
    var outcome = Outcome()
    for group in try groups(of: name) {
      let title = "\(name): \(group["description"]?.string ?? "")"
      var reasons: Set<String> = []
      Self.collectReasons(in: try #require(group["schema"]), to: &reasons)
      switch Self.model(of: group) {
      case .success(let model):
        #expect(reasons.isEmpty, "\(title) must be refused for one of \(reasons)")
        outcome.groupCount += 1
        for test in group["tests"]?.elements ?? [] {
          try check(test, model: model, title: title)
          outcome.caseCount += 1
        }
      case .failure(let error):
        outcome.refusedCount += 1
        let reason = reasons.first { Self.names($0, in: error.message) }
        #expect(reason != nil, "\(title): \(error) does not name one of \(reasons)")
        if let reason { outcome.reasons.insert(reason) }
      }
    }
    return outcome
  }

  private func groups(of name: String) throws -> [JSONValue] {
    let bytes = try RealData.bytes(of: "\(Self.suite)/\(name).json")
    return try #require(JSONValue(parsing: bytes.span).elements)
  }

  private func check(_ test: JSONValue, model: Model, title: String) throws {
    let data = try #require(test["data"]).description
    let isAccepted = try Self.accepts(data, model: model)
    let description = test["description"]?.string ?? ""
    #expect(isAccepted == (test["valid"] == .bool(true)), "\(title): \(description): \(data)")
  }

  /// Whether the message of a refusal names the keyword.
  private static func names(_ keyword: String, in message: String) -> Bool {
    message.contains("unknown keyword \"\(keyword)\"")
      || keyword == "$ref" && message.contains("cannot be followed")
  }

  /// A model that allows in one place of its records what the group's schema allows.
  private static func model(of group: JSONValue) -> Result<Model, ModelError> {
    let schema = moved(group["schema"] ?? .null)
    let document = """
      {"x-table":"t","properties":{"a":{"type":"object","properties":{"value":\(schema)}}}}
      """
    return Result { () throws(ModelError) in try Model(parsing: document) }
  }

  private static func accepts(_ data: String, model: Model) throws -> Bool {
    var options = ImportOptions()
    options.pointer = ""
    var session = try ImportSession(checking: model, options: options)
    let record = Array(#"[{"a":{"value":\#(data)}}]"#.utf8)
    try session.append(record.span)
    return try session.finish().counters.inserted == 1
  }

  /// The keywords whose values are not schemas.
  private static let constants: Set<String> = ["enum", "const", "default", "examples"]

  /// A schema whose references point to its place in the model, without the dialect.
  private static func moved(_ schema: JSONValue) -> JSONValue {
    switch schema {
    case .array(let elements): .array(elements.map(moved))
    case .object(let members):
      .object(
        members.filter { $0.name != "$schema" }.map { member in
          if member.name == "$ref", let text = member.value.string,
            text.hasPrefix("#/") || text == "#"
          {
            return .init(
              name: "$ref",
              value: .string("#/properties/a/properties/value" + text.dropFirst()))
          }
          return .init(
            name: member.name,
            value: constants.contains(member.name) ? member.value : moved(member.value))
        })
    default: schema
    }
  }

  /// Adds the keywords in a schema that must be refused, and `$ref` if it points elsewhere.
  private static func collectReasons(in schema: JSONValue, to reasons: inout Set<String>) {
    for member in schema.members ?? [] where member.name != "$schema" {
      switch member.name {
      case "$ref":
        if member.value.string?.hasPrefix("#/") != true, member.value != .string("#") {
          reasons.insert("$ref")
        }
      case "properties", "$defs":
        for inner in member.value.members ?? [] { collectReasons(in: inner.value, to: &reasons) }
      case "items", "additionalProperties": collectReasons(in: member.value, to: &reasons)
      case _
      where RuleCompiler.keywords.contains(member.name)
        || ModelReader.annotations.contains(member.name):
        break
      default: reasons.insert(member.name)
      }
    }
  }
}

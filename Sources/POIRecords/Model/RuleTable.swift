internal import JSONStreaming

/// The rules of a model in flat tables, compiled once when the model is loaded.
///
/// A schema is a set of types and a range of rules. Rules refer to other tables by index.
package struct RuleTable: Sendable {
  struct Schema: BitwiseCopyable, Sendable {
    var types: JSONTypes
    var first = 0
    var end = 0

    static let anything = Schema(types: .all)

    var allowsNothing: Bool { types.isEmpty }
  }

  struct Choice: Sendable {
    /// Up to this number, comparing the constants one by one is faster than hashing.
    static let unhashedLimit = 8

    /// The range of constants in `constantPlaces`.
    var first: Int
    var end: Int
    var isConst: Bool
    /// The constants by hash; empty up to `unhashedLimit` constants.
    var numbersByHash: [UInt64: [Int]] = [:]
  }

  struct Members: Sendable {
    /// The range of names with rules in `names`.
    var firstName: Int
    var endName: Int
    var namesByHash: [UInt64: [Int]]
    /// The schema of members that `properties` does not name; nil if it allows every value.
    var additional: Int?
    /// The range of the pairs of `dependentRequired` in `dependencies`.
    var firstDependency: Int
    var endDependency: Int
  }

  struct Name: Sendable {
    var text: String
    /// The schema of the value; nil if `properties` does not name the member.
    var schema: Int?
    var isRequired = false
  }

  /// An object with `name` must have `needed`; both are indices in `names`.
  struct Dependency: BitwiseCopyable, Sendable {
    var name: Int
    var needed: Int
  }

  var schemas: [Schema] = []
  var rules: [Rule] = []
  var choices: [Choice] = []
  var constantPlaces: [Int] = []
  var constants: TapeCopy?
  var divisors: [Divisor] = []
  /// The divisors in the notation of the document.
  var divisorTexts: [String] = []
  var patterns: [String] = []
  var members: [Members] = []
  var names: [Name] = []
  var dependencies: [Dependency] = []

  func rules(of schema: Int) -> ArraySlice<Rule> {
    rules[schemas[schema].first..<schemas[schema].end]
  }

  /// The index of a member's name; nil if it has no rules.
  func index(of name: Span<UInt8>, in members: Members) -> Int? {
    for index in members.namesByHash[name.tableHash] ?? []
    where name.hasSameBytes(as: names[index].text.utf8Span.span) {
      return index
    }
    return nil
  }
}

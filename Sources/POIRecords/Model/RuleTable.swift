internal import JSONStreaming

/// The rules of a model in flat tables, compiled once when the model is loaded.
///
/// A schema is a set of types and a run of rules, which name entries of other tables by their index.
package struct RuleTable: Sendable {
  /// What one value may be.
  struct Schema: BitwiseCopyable, Sendable {
    var types: JSONTypes
    var first = 0
    var end = 0

    /// The schema `true`, which allows every value.
    static let anything = Schema(types: .all)

    /// Whether it is the schema `false`, which allows no value.
    var allowsNothing: Bool { types.isEmpty }
  }

  /// The constants of an `enum` or a `const`.
  struct Choice: Sendable {
    /// Up to so many constants are compared one by one, which costs less than a hash.
    static let unhashedLimit = 8

    /// The constants in `constantPlaces`.
    var first: Int
    var end: Int
    var isConst: Bool
    /// The constants by their hashes, if there are many.
    var numbersByHash: [UInt64: [Int]] = [:]
  }

  /// What the members of an object may be.
  struct Members: Sendable {
    /// The names that rules speak of, in `names`.
    var firstName: Int
    var endName: Int
    /// The names by their hashes.
    var namesByHash: [UInt64: [Int]]
    /// The schema of members that `properties` does not name, or nil if they may be anything.
    var additional: Int?
    /// The pairs of `dependentRequired`, in `dependencies`.
    var firstDependency: Int
    var endDependency: Int
  }

  /// A member's name that rules speak of.
  struct Name: Sendable {
    var text: String
    /// The schema of the member's value, or nil if `properties` does not name it.
    var schema: Int?
    var isRequired = false
  }

  /// An object with `name` must have `needed`; both are indices of names.
  struct Dependency: BitwiseCopyable, Sendable {
    var name: Int
    var needed: Int
  }

  var schemas: [Schema] = []
  var rules: [Rule] = []
  var choices: [Choice] = []
  /// Where the constants of all choices stand on the tape of `constants`.
  var constantPlaces: [Int] = []
  /// All constants in one array.
  var constants: TapeCopy?
  var divisors: [Divisor] = []
  /// The divisors as they are written.
  var divisorTexts: [String] = []
  var patterns: [String] = []
  var members: [Members] = []
  var names: [Name] = []
  var dependencies: [Dependency] = []

  func rules(of schema: Int) -> ArraySlice<Rule> {
    rules[schemas[schema].first..<schemas[schema].end]
  }

  /// The index of the name of a member, or nil if no rule speaks of it.
  func index(of name: Span<UInt8>, in members: Members) -> Int? {
    for index in members.namesByHash[name.tableHash] ?? []
    where name.hasSameBytes(as: names[index].text.utf8Span.span) {
      return index
    }
    return nil
  }
}

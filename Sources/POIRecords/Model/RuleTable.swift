internal import JSONStreaming

/// The rules of a model in flat tables, compiled once when the model is loaded.
///
/// A schema is a set of types and a run of rules; rules name schemas, choices, divisors, patterns
/// and objects by their index. Checking a value follows indices and calls nothing dynamically.
package struct RuleTable: Sendable {
  /// What one value may be.
  struct Schema: BitwiseCopyable, Sendable {
    var types: JSONTypes
    /// Its rules in the table, from the first up to the one before `end`.
    var first = 0
    var end = 0

    /// The schema `true`, which allows every value.
    static let anything = Schema(types: .all)

    /// Whether it is the schema `false`, which allows no value.
    var allowsNothing: Bool { types.isEmpty }
  }

  /// The constants of an `enum` or a `const`.
  struct Choice: BitwiseCopyable, Sendable {
    /// No more constants than this are compared one after the other: that costs less than a hash.
    static let unhashedLimit = 8

    /// The constants in `constantPlaces`.
    var first: Int
    var end: Int
    var isConst: Bool
    /// Where the buckets of the constants begin, and how many they are less one; -1 where there are
    /// none.
    var firstBucket = 0
    var bucketMask = -1
  }

  /// What the members of an object may be.
  struct Members: BitwiseCopyable, Sendable {
    /// The names that rules speak of, in `names`.
    var firstName: Int
    var endName: Int
    /// Where the buckets of the names begin, and how many they are less one.
    var firstBucket: Int
    var bucketMask: Int
    /// The schema of members that `properties` does not name, or -1 if they may be anything.
    var additional: Int
    /// The pairs of `dependentRequired`, in `dependencies`.
    var firstDependency: Int
    var endDependency: Int
  }

  /// A member's name that rules speak of.
  package struct Name: BitwiseCopyable, Sendable {
    var hash: UInt64
    /// Where the name stands in `nameText`.
    var start: Int
    var count: Int
    /// The schema of the member's value, or -1 where `properties` does not name it.
    var schema: Int
    var isRequired: Bool
  }

  /// Where the member `name` stands, `needed` must stand, too; both are indices of names.
  package struct Dependency: BitwiseCopyable, Sendable {
    var name: Int
    var needed: Int
  }

  var schemas: [Schema] = []
  var rules: [Rule] = []
  var choices: [Choice] = []
  /// Where the constants of all choices stand on the tape of `constants`.
  var constantPlaces: [Int] = []
  /// Their hashes.
  var constantHashes: [UInt64] = []
  /// Indices of constants by hash, or -1.
  var constantBuckets: [Int32] = []
  /// All constants in one array; nothing where there are none.
  var constants: TapeCopy?
  var divisors: [Divisor] = []
  /// The divisors as they are written.
  var divisorTexts: [String] = []
  var patterns: [String] = []
  var members: [Members] = []
  var names: [Name] = []
  var nameText: [UInt8] = []
  /// Indices of names by hash, or -1.
  var buckets: [Int32] = []
  var dependencies: [Dependency] = []

  /// The rules of a schema.
  func rules(of schema: Int) -> ArraySlice<Rule> {
    rules[schemas[schema].first..<schemas[schema].end]
  }

  /// The index of the name of a member; -1 where no rule speaks of it.
  func index(of name: Span<UInt8>, in members: Members) -> Int {
    let hash = name.tableHash
    var bucket = Int(truncatingIfNeeded: hash) & members.bucketMask
    while true {
      let index = Int(buckets[members.firstBucket + bucket])
      if index < 0 { return -1 }
      let entry = names[index]
      if entry.hash == hash, entry.count == name.count,
        nameText.span.extracting(entry.start..<entry.start + entry.count).hasSameBytes(as: name)
      {
        return index
      }
      bucket = (bucket + 1) & members.bucketMask
    }
  }

  /// The name of a member, for messages.
  func text(ofName index: Int) -> String {
    String(
      decoding: nameText[names[index].start..<names[index].start + names[index].count],
      as: UTF8.self)
  }
}

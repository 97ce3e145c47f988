/// The alphabet of an expression: scalar values that belong to the same sets are one letter.
struct PatternAlphabet {
  static let end = 0

  private static let rememberedLimit = 1 << 14

  private let sets: [ScalarSet]

  private let properties: [String: Regex<AnyRegexOutput>]

  private let wordCharacters: Int

  private var asciiLetters: [Int] = []

  private var remembered: [UInt32: Int] = [:]

  /// For each letter, a bit for each set that contains it.
  private var memberships: [[UInt64]] = [[]]
  private var letters: [[UInt64]: Int] = [:]

  init(_ sets: [ScalarSet]) throws(PatternError) {
    wordCharacters = sets.count
    self.sets = sets + [.wordCharacters]
    var properties: [String: Regex<AnyRegexOutput>] = [:]
    for name in sets.flatMap(\.properties) { properties[name] = try Self.regex(ofProperty: name) }
    self.properties = properties
    memberships[Self.end] = [UInt64](repeating: 0, count: sets.count / 64 + 1)
    for value in 0..<UInt32(128) { asciiLetters.append(newLetter(of: value)) }
  }

  /// The Swift regular expression for a property such as `\p{Lu}`.
  static func regex(ofProperty name: String) throws(PatternError) -> Regex<AnyRegexOutput> {
    do {
      return try Regex(name).matchingSemantics(.unicodeScalar)
    } catch {
      throw PatternError(message: "\(name) is not a property that Swift's engine knows")
    }
  }

  var letterCount: Int { memberships.count }

  func contains(_ set: Int, _ letter: Int) -> Bool {
    memberships[letter][set / 64] >> UInt64(set % 64) & 1 == 1
  }

  func isWordCharacter(_ letter: Int) -> Bool { contains(wordCharacters, letter) }

  @inline(__always)
  mutating func letter(of scalar: UInt32) -> Int {
    scalar < 128 ? asciiLetters[Int(scalar)] : letter(beyondASCII: scalar)
  }

  private mutating func letter(beyondASCII scalar: UInt32) -> Int {
    if let letter = remembered[scalar] { return letter }
    let letter = newLetter(of: scalar)
    if remembered.count == Self.rememberedLimit { remembered.removeAll(keepingCapacity: true) }
    remembered[scalar] = letter
    return letter
  }

  private mutating func newLetter(of scalar: UInt32) -> Int {
    var membership = memberships[Self.end]
    for (number, set) in sets.enumerated() where holds(set, scalar) {
      membership[number / 64] |= 1 << UInt64(number % 64)
    }
    if let letter = letters[membership] { return letter }
    letters[membership] = memberships.count
    memberships.append(membership)
    return memberships.count - 1
  }

  private func holds(_ set: ScalarSet, _ value: UInt32) -> Bool {
    let isListed =
      set.ranges.contains { $0.contains(value) }
      || set.properties.contains { name in
        guard let scalar = Unicode.Scalar(value), let regex = properties[name] else { return false }
        return ((try? regex.wholeMatch(in: String(Character(scalar)))) ?? nil) != nil
      }
    return isListed != set.isNegated
  }
}

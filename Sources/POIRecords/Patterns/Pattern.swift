/// A compiled regular expression of the `pattern` keyword.
///
/// It means what ECMA-262 says with the flag `u`: it matches Unicode scalar values and is not
/// anchored; `\d` and `\w` are ASCII, `$` is the very end. A text takes time with its length, whatever the
/// expression: nothing is tried twice.
struct Pattern {
  /// How many lookarounds an expression may have: one bit each for every place of a text.
  static let lookLimit = 8

  /// How many places `matchingLooks` keeps room for from one text to the next.
  private static let placeLimit = 1 << 20

  private var alphabet: PatternAlphabet
  private var automaton: PatternAutomaton

  /// Those of the lookarounds; one stands behind those inside it.
  private var looks: [PatternAutomaton] = []

  /// For each place of a text which lookarounds match there; empty where there are none.
  private var matchingLooks: [UInt8] = []

  /// Compiles an expression.
  ///
  /// - Throws: `PatternError` where it cannot be read, or not be enforced.
  init(_ text: String) throws(PatternError) {
    var reader = PatternReader(text)
    let node = try reader.read()
    let lookCount = reader.looks.count
    guard lookCount <= Self.lookLimit else {
      throw PatternError(message: "it has more than \(Self.lookLimit) lookarounds")
    }
    var sets = SetNumbers()
    automaton = PatternAutomaton(
      try PatternProgram(node, isBackward: false, sets: &sets), lookCount: lookCount)
    for look in reader.looks {
      // What matches from a place on is found from the end of the text.
      let program = try PatternProgram(look.node, isBackward: !look.isBehind, sets: &sets)
      looks.append(PatternAutomaton(program, lookCount: lookCount))
    }
    alphabet = try PatternAlphabet(sets)
  }

  /// How many numbers are kept of the texts that were met; this has a limit, whatever they are.
  var keptCount: Int {
    looks.reduce(automaton.keptCount + matchingLooks.capacity) { $0 + $1.keptCount }
  }

  /// Whether the expression matches somewhere in `text`, which is UTF-8.
  mutating func matches(_ text: Span<UInt8>) -> Bool {
    if !looks.isEmpty {
      matchingLooks.removeAll(keepingCapacity: true)
      matchingLooks.append(contentsOf: repeatElement(0, count: text.count + 1))
      for number in looks.indices {
        looks[number].mark(1 << UInt8(number), in: &matchingLooks, of: text, &alphabet)
      }
    }
    let isMatch = automaton.matches(text, &alphabet, looks: &matchingLooks)
    if matchingLooks.capacity > Self.placeLimit { matchingLooks = [] }
    return isMatch
  }
}

/// Why a regular expression cannot be enforced.
struct PatternError: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}

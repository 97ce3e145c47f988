/// A compiled regular expression of the `pattern` keyword.
///
/// It means what ECMA-262 says with the flag `u`: it matches Unicode scalar values and is not anchored;
/// `\d` and `\w` are ASCII, `$` is the very end. Matching takes linear time, whatever the expression.
struct Pattern {
  private var alphabet: PatternAlphabet
  private var automaton: PatternAutomaton

  init(_ text: String) throws(PatternError) {
    var reader = PatternReader(text)
    let program = try PatternProgram(try reader.read())
    automaton = PatternAutomaton(program)
    alphabet = try PatternAlphabet(program.sets)
  }

  /// The size of the memory of former texts, which has a limit.
  var keptCount: Int { automaton.keptCount }

  /// Whether the expression matches somewhere in `text`, which is UTF-8.
  mutating func matches(_ text: Span<UInt8>) -> Bool { automaton.matches(text, &alphabet) }
}

/// Why a regular expression cannot be enforced.
struct PatternError: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}

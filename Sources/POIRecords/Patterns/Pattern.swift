/// A compiled regular expression of the `pattern` keyword.
///
/// It follows ECMA-262 with the flag `u`: it matches Unicode scalar values and is not anchored; `\d` and
/// `\w` are ASCII, `$` is the end of the text. Matching always needs linear time.
struct Pattern {
  private var alphabet: PatternAlphabet
  private var automaton: PatternAutomaton

  init(_ text: String) throws(PatternError) {
    var reader = PatternReader(text)
    let program = try PatternProgram(try reader.read())
    automaton = PatternAutomaton(program)
    alphabet = try PatternAlphabet(program.sets)
  }

  /// The size of the state cache, which has a limit.
  var keptCount: Int { automaton.keptCount }

  /// The most steps that one character takes.
  var stepCount: Int { automaton.stepCount }

  mutating func matches(_ text: Span<UInt8>) -> Bool { automaton.matches(text, &alphabet) }
}

struct PatternError: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}

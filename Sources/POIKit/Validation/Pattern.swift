/// A compiled regular expression of the `pattern` keyword.
///
/// It means what ECMA-262 says with the flag `u`: it matches Unicode scalar values and is not
/// anchored; `\d` and `\w` are ASCII, `$` is the very end. What Swift's engine cannot do in the same
/// way is refused when the model is loaded.
struct Pattern {
  private let regex: Regex<AnyRegexOutput>

  /// Compiles an expression.
  ///
  /// - Throws: `PatternError` where it cannot be read, or not be enforced.
  init(_ text: String) throws(PatternError) {
    var translation = PatternTranslation(text)
    let swiftText = try translation.translate()
    do {
      regex = try Regex(swiftText).matchingSemantics(.unicodeScalar).asciiOnlyWordCharacters()
        .wordBoundaryKind(.simple)
    } catch {
      throw PatternError(message: "a part of it is not known to Swift's engine")
    }
  }

  /// Whether the expression matches somewhere in `text`.
  func matches(_ text: String) -> Bool {
    (try? regex.firstMatch(in: text)) ?? nil != nil
  }
}

/// Why a regular expression cannot be enforced.
struct PatternError: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}

/// A compiled regular expression of the `pattern` keyword.
///
/// It means what ECMA-262 says with the flag `u`: it matches Unicode scalar values and is not
/// anchored; `\d` and `\w` are ASCII, `$` is the very end. What Swift's engine cannot do in the same
/// way is refused when the model is loaded.
struct Pattern {
  private let regex: Regex<AnyRegexOutput>

  /// Whether texts are to be marked at their word boundaries.
  private let readsMarks: Bool

  /// Compiles an expression.
  ///
  /// - Throws: `PatternError` where it cannot be read, or not be enforced.
  init(_ text: String) throws(PatternError) {
    var translation = PatternTranslation(text, readsMarks: false)
    var swiftText = try translation.translate()
    readsMarks = translation.asksForBoundaries
    if readsMarks {
      translation = PatternTranslation(text, readsMarks: true)
      swiftText = try translation.translate()
    }
    do {
      regex = try Regex(swiftText).matchingSemantics(.unicodeScalar)
    } catch {
      throw PatternError(message: "a part of it is not known to Swift's engine")
    }
  }

  /// Whether the expression matches somewhere in `text`.
  func matches(_ text: String) -> Bool {
    let match =
      readsMarks ? try? regex.prefixMatch(in: Self.marked(text)) : try? regex.firstMatch(in: text)
    return match ?? nil != nil
  }

  /// The text with a mark wherever one of two neighbours is an ASCII letter, a digit or `_` and the other is
  /// not (ECMA-262, `IsWordChar`).
  private static func marked(_ text: String) -> String {
    var marked = String.UnicodeScalarView()
    var isInWord = false
    for scalar in text.unicodeScalars {
      let isOfWord =
        scalar == "_"
        || scalar.isASCII
          && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      if isOfWord != isInWord { marked.append(PatternTranslation.mark) }
      isInWord = isOfWord
      // The mark itself, which is no character, is taken for the noncharacter beside it.
      marked.append(scalar == PatternTranslation.mark ? "\u{FFFFE}" : scalar)
    }
    if isInWord { marked.append(PatternTranslation.mark) }
    return String(marked)
  }
}

/// Why a regular expression cannot be enforced.
struct PatternError: Error, CustomStringConvertible {
  let message: String

  var description: String { message }
}

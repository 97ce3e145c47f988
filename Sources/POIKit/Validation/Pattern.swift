/// A compiled regular expression of the `pattern` keyword.
///
/// It matches Unicode scalar values and is not anchored, as JSON Schema asks; the classes `\d` and
/// `\w` are ASCII, as in ECMA-262. Expressions that Swift's engine cannot read are refused when the
/// model is loaded.
struct Pattern {
  private let regex: Regex<AnyRegexOutput>

  /// Nothing, where `text` is not an expression that can be enforced.
  init?(_ text: String) {
    guard let regex = try? Regex(text), !Pattern.nestsRepetitions(text) else { return nil }
    self.regex = regex.matchingSemantics(.unicodeScalar).asciiOnlyDigits()
      .asciiOnlyWordCharacters()
  }

  /// Whether a repetition without an upper bound stands inside another one, as in `(a+)+`.
  ///
  /// The engine tries one way to match after the other, and for such an expression their number
  /// doubles with every character: one record would hold up the run for ever.
  private static func nestsRepetitions(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    // For each open group whether a repetition stands in it; the outermost is the whole text.
    var groups = [false]
    var index = 0
    var isInClass = false
    func isRepetition(at index: Int) -> Bool {
      guard index < scalars.count else { return false }
      if scalars[index] == "*" || scalars[index] == "+" { return true }
      guard scalars[index] == "{" else { return false }
      let end = scalars[index...].firstIndex(of: "}") ?? index
      return end > index && scalars[end - 1] == ","
    }
    while index < scalars.count {
      switch scalars[index] {
      case "\\": index += 1
      case "[": isInClass = true
      case "]": isInClass = false
      case _ where isInClass: break
      case "(": groups.append(false)
      case ")" where groups.count > 1:
        let holdsRepetition = groups.removeLast()
        if isRepetition(at: index + 1) {
          if holdsRepetition { return true }
          groups[groups.count - 1] = true
        } else if holdsRepetition {
          groups[groups.count - 1] = true
        }
      default:
        if isRepetition(at: index) { groups[groups.count - 1] = true }
      }
      index += 1
    }
    return false
  }

  /// Whether the expression matches somewhere in `text`.
  func matches(_ text: String) -> Bool {
    (try? regex.firstMatch(in: text)) ?? nil != nil
  }
}

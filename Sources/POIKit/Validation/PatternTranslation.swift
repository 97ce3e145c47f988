/// Reads a regular expression of ECMA-262 (section 22.2.1, `Pattern` with the flag `u`) and writes
/// it so that Swift's engine does the same.
///
/// Characters become escapes, classes their members, and `^` and `$` the ends of the text; the two
/// languages differ in all of them. Backreferences and lookbehind are refused, and so are
/// repetitions without bounds inside one another: the engine tries one way to match after the
/// other, and for `(a+)+` their number doubles with every character.
///
/// Swift's engine takes digits for no part of a word where it matches scalar values. So a text in which
/// word boundaries are asked for is marked at each of them, with a scalar that stands for no character;
/// everything that reads a scalar then reads over a mark in front of it.
struct PatternTranslation {
  /// The scalar that marks a word boundary.
  static let mark: Unicode.Scalar = "\u{FFFFF}"

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var output = ""

  /// How many groups are open.
  private var depth = 0

  /// How deep groups may stand in one another: the translation and Swift's engine call themselves for
  /// each.
  static let depthLimit = 50

  /// Whether the expression is for texts that are marked.
  private let readsMarks: Bool

  /// Whether the expression asks for word boundaries.
  private(set) var asksForBoundaries = false

  /// - Parameter readsMarks: whether texts are marked at their word boundaries.
  init(_ text: String, readsMarks: Bool) {
    scalars = Array(text.unicodeScalars)
    self.readsMarks = readsMarks
  }

  /// The expression as Swift reads it, which of marked texts matches a prefix.
  mutating func translate() throws(PatternError) -> String {
    _ = try readAlternatives()
    if index < scalars.count { throw flaw("it closes a group that is not open") }
    return readsMarks ? "\(reading(Self.everything))*?(?:\(output))" : output
  }

  // MARK: Groups and repetitions

  /// Reads alternatives up to the end of their group.
  ///
  /// - Returns: whether a repetition without an upper bound stands in them.
  private mutating func readAlternatives() throws(PatternError) -> Bool {
    var isUnbounded = false
    while let scalar = next, scalar != ")" {
      if skip("|") {
        output += "|"
      } else if try readTerm() {
        isUnbounded = true
      }
    }
    return isUnbounded
  }

  /// Reads one character, class, group or assertion with its repetition.
  ///
  /// - Returns: whether it is or holds a repetition without an upper bound.
  private mutating func readTerm() throws(PatternError) -> Bool {
    let scalar = scalars[index]
    index += 1
    var holdsUnbounded = false
    switch scalar {
    case "^":
      output += #"\A"#
      return false
    case "$":
      output += readsMarks ? #"(?=\#(Self.literal(Self.mark))?\z)"# : #"\z"#
      return false
    case "(":
      guard depth < Self.depthLimit else {
        throw flaw("its groups are nested deeper than \(Self.depthLimit) levels")
      }
      depth += 1
      defer { depth -= 1 }
      let isAssertion = try readGroupStart()
      holdsUnbounded = try readAlternatives()
      guard skip(")") else { throw flaw("a group is not closed") }
      output += ")"
      if isAssertion { return holdsUnbounded }
    case "*", "+", "?": throw flaw("\(scalar) repeats nothing")
    case "{", "}", "]": throw flaw("\(scalar) stands alone; write \\\(scalar)")
    case ".": output += reading(#"[^\n\r\u{2028}\u{2029}]"#)
    case "[": output += reading(try readClass())
    case "\\":
      if let boundary = next, boundary == "b" || boundary == "B" {
        index += 1
        asksForBoundaries = true
        output += "(?\(boundary == "b" ? "=" : "!")\(Self.literal(Self.mark)))"
        return false
      }
      output += reading(try readEscape(isInClass: false))
    default: output += reading(Self.literal(scalar))
    }
    let isUnbounded = try readRepetition()
    if isUnbounded, holdsUnbounded {
      throw flaw("it nests repetitions without bounds, as in (a+)+, which may take for ever")
    }
    return isUnbounded || holdsUnbounded
  }

  /// Reads what stands behind the opening parenthesis of a group.
  ///
  /// - Returns: whether the group is an assertion, which cannot be repeated.
  private mutating func readGroupStart() throws(PatternError) -> Bool {
    guard skip("?") else {
      // What a group captures is not asked for.
      output += "(?:"
      return false
    }
    if skip(":") {
      output += "(?:"
      return false
    }
    if skip("=") {
      output += "(?="
      return true
    }
    if skip("!") {
      output += "(?!"
      return true
    }
    guard skip("<") else { throw flaw("a group begins with (?, and is of no known kind") }
    if next == "=" || next == "!" { throw flaw("lookbehind is not known to Swift's engine") }
    let start = index
    while let scalar = next, scalar.properties.isIDContinue || scalar == "$" { index += 1 }
    guard index > start, skip(">") else { throw flaw("a group's name is not closed") }
    output += "(?:"
    return false
  }

  /// Reads a repetition, if there is one.
  ///
  /// - Returns: whether it has no upper bound.
  private mutating func readRepetition() throws(PatternError) -> Bool {
    let start = index
    var isUnbounded = false
    switch next {
    case "*", "+":
      index += 1
      isUnbounded = true
    case "?": index += 1
    case "{":
      index += 1
      guard let least = readNumber() else { throw flaw("a repetition names no number") }
      if skip(",") {
        if let most = readNumber() {
          guard least <= most else { throw flaw("a repetition's bounds are out of order") }
        } else {
          isUnbounded = true
        }
      }
      guard skip("}") else { throw flaw("a repetition is not closed") }
    default: return false
    }
    _ = skip("?")
    output.unicodeScalars.append(contentsOf: scalars[start..<index])
    return isUnbounded
  }

  private mutating func readNumber() -> Int? {
    let start = index
    var number = 0
    while let scalar = next, ("0"..."9").contains(scalar), number < 100_000 {
      number = number * 10 + Int(scalar.value - 48)
      index += 1
    }
    return index > start ? number : nil
  }

  // MARK: Classes

  /// Reads a class behind its opening bracket.
  ///
  /// - Returns: how Swift writes it.
  private mutating func readClass() throws(PatternError) -> String {
    let isNegated = skip("^")
    if skip("]") { return isNegated ? Self.everything : Self.nothing }
    var text = isNegated ? "[^" : "["
    while !skip("]") {
      let (first, firstValue) = try readClassMember()
      text += first
      guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else { continue }
      index += 1
      let (last, lastValue) = try readClassMember()
      guard let firstValue, let lastValue else {
        throw flaw("a range begins or ends with a class")
      }
      guard firstValue <= lastValue else { throw flaw("a range is out of order") }
      text += "-" + last
    }
    return text + "]"
  }

  /// Reads a member of a class.
  ///
  /// - Returns: how Swift writes it, and its value where it is one scalar.
  private mutating func readClassMember() throws(PatternError) -> (String, UInt32?) {
    guard let scalar = next else { throw flaw("a class is not closed") }
    index += 1
    guard scalar == "\\" else { return (Self.literal(scalar), scalar.value) }
    if let value = try readCharacterEscape(isInClass: true) {
      return (Self.literal(value), value.value)
    }
    return (try readEscape(isInClass: true), nil)
  }

  // MARK: Escapes

  /// Reads an escape behind its backslash.
  private mutating func readEscape(isInClass: Bool) throws(PatternError) -> String {
    if let scalar = try readCharacterEscape(isInClass: isInClass) { return Self.literal(scalar) }
    let letter = scalars[index]
    index += 1
    switch letter {
    case "d": return "[0-9]"
    case "D": return "[^0-9]"
    case "w": return "[A-Za-z0-9_]"
    case "W": return "[^A-Za-z0-9_]"
    case "s": return "[\(Self.whiteSpace)]"
    case "S": return "[^\(Self.whiteSpace)]"
    case "p", "P":
      let start = index
      guard skip("{") else { throw flaw("\\\(letter) names no property") }
      while let scalar = next, scalar != "}" {
        guard scalar.isASCII,
          scalar.properties.isAlphabetic || "0123456789_=".contains(Character(scalar))
        else { throw flaw("\\\(letter) names no property") }
        index += 1
      }
      guard skip("}"), index - start > 2 else { throw flaw("\\\(letter) names no property") }
      return "\\\(letter)" + String(String.UnicodeScalarView(scalars[start..<index]))
    case "0"..."9", "k": throw flaw("backreferences are not supported")
    default: throw flaw("\\\(letter) is no escape")
    }
  }

  /// Reads the escape of one character behind its backslash; nothing, and nothing read, where it is
  /// one of another kind.
  private mutating func readCharacterEscape(
    isInClass: Bool
  ) throws(PatternError) -> Unicode.Scalar? {
    guard let letter = next else { throw flaw("it ends with a backslash") }
    let start = index
    index += 1
    switch letter {
    case "t": return "\t"
    case "n": return "\n"
    case "v": return "\u{B}"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "b" where isInClass: return "\u{8}"
    case "0":
      if let digit = next, ("0"..."9").contains(digit) { throw flaw("octal escapes are unknown") }
      return "\0"
    case "c":
      guard let control = next, control.isASCII, control.properties.isAlphabetic else {
        throw flaw("\\c names no control character")
      }
      index += 1
      return Unicode.Scalar(control.value % 32)
    case "x": return Unicode.Scalar(try readHexadecimal(digits: 2))
    case "u": return try readUnicodeEscape()
    case _
    where letter.isASCII
      && (letter.properties.isAlphabetic || letter.properties.numericType != nil):
      index = start
      return nil
    // Whatever else is escaped stands for itself.
    default: return letter
    }
  }

  private mutating func readUnicodeEscape() throws(PatternError) -> Unicode.Scalar {
    var value: UInt32
    if skip("{") {
      let start = index
      while let scalar = next, scalar.properties.isASCIIHexDigit { index += 1 }
      let digits = String(String.UnicodeScalarView(scalars[start..<index]))
      guard let number = UInt32(digits, radix: 16), skip("}") else {
        throw flaw("\\u names no character")
      }
      value = number
    } else {
      value = try readHexadecimal(digits: 4)
      if value & 0xFC00 == 0xD800, skip("\\"), skip("u") {
        let low = try readHexadecimal(digits: 4)
        guard low & 0xFC00 == 0xDC00 else { throw flaw("\\u names half of a surrogate pair") }
        value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
      }
    }
    guard let scalar = Unicode.Scalar(value) else { throw flaw("\\u names no character") }
    return scalar
  }

  private mutating func readHexadecimal(digits count: Int) throws(PatternError) -> UInt32 {
    guard index + count <= scalars.count,
      scalars[index..<index + count].allSatisfy(\.properties.isASCIIHexDigit),
      let value = UInt32(
        String(String.UnicodeScalarView(scalars[index..<index + count])), radix: 16)
    else { throw flaw("an escape has too few hexadecimal digits") }
    index += count
    return value
  }

  // MARK: Small parts

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    index += 1
    return true
  }

  private func flaw(_ message: String) -> PatternError { PatternError(message: message) }

  /// One scalar value, and no other that Unicode holds for the same character.
  private static func literal(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16))}"
  }

  private static var everything: String { #"[\u{0}-\u{10FFFF}]"# }

  private static var nothing: String { #"[^\u{0}-\u{10FFFF}]"# }

  /// What reads one scalar of the text, and a mark in front of it.
  private func reading(_ scalar: String) -> String {
    let mark = Self.literal(Self.mark)
    return readsMarks ? "(?:\(mark)?(?!\(mark))\(scalar))" : scalar
  }

  /// What `\s` stands for: `WhiteSpace` and `LineTerminator`.
  private static var whiteSpace: String {
    #"\u{9}-\u{D}\u{20}\u{A0}\u{1680}\u{2000}\u{2001}\u{2002}-\u{200A}\u{2028}\u{2029}"#
      + #"\u{202F}\u{205F}\u{3000}\u{FEFF}"#
  }
}

/// Reads a regular expression of ECMA-262 (section 22.2.1, `Pattern` with the flag `u`).
///
/// It refuses backreferences, because matching them needs exponential time, and lookarounds, because each
/// needs another pass over the text.
struct PatternReader {
  private let scalars: [Unicode.Scalar]
  private var index = 0

  private var depth = 0

  /// The deepest nesting of groups: reading and compiling are recursive.
  static let depthLimit = 50

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func read() throws(PatternError) -> PatternNode {
    let node = try readAlternatives()
    if index < scalars.count { throw flaw("it closes a group that is not open") }
    return node
  }

  // MARK: Groups and repetitions

  private mutating func readAlternatives() throws(PatternError) -> PatternNode {
    var alternatives: [PatternNode] = []
    var terms: [PatternNode] = []
    while let scalar = next, scalar != ")" {
      if skip("|") {
        alternatives.append(.sequence(terms))
        terms = []
      } else {
        terms.append(try readTerm())
      }
    }
    return alternatives.isEmpty
      ? .sequence(terms) : .alternatives(alternatives + [.sequence(terms)])
  }

  private mutating func readTerm() throws(PatternError) -> PatternNode {
    let scalar = scalars[index]
    index += 1
    let node: PatternNode
    switch scalar {
    case "^": return .start
    case "$": return .end
    case "(": node = try readGroup()
    case "*", "+", "?": throw flaw("\(scalar) repeats nothing")
    case "{", "}", "]": throw flaw("\(scalar) must be escaped; write \\\(scalar)")
    case ".": node = .scalar(.withinLine)
    case "[": node = .scalar(try readClass())
    case "\\":
      if skip("b") { return .wordBoundary(isNegated: false) }
      if skip("B") { return .wordBoundary(isNegated: true) }
      node = .scalar(try readEscape(isInClass: false))
    default: node = .scalar(ScalarSet(scalar))
    }
    return try readRepetition(of: node)
  }

  private mutating func readGroup() throws(PatternError) -> PatternNode {
    guard depth < Self.depthLimit else {
      throw flaw("its groups are nested deeper than \(Self.depthLimit) levels")
    }
    depth += 1
    defer { depth -= 1 }
    try readGroupStart()
    let content = try readAlternatives()
    guard skip(")") else { throw flaw("a group is not closed") }
    return content
  }

  private mutating func readGroupStart() throws(PatternError) {
    guard skip("?"), !skip(":") else { return }
    let hasName = skip("<")
    if next == "=" || next == "!" {
      throw flaw("lookarounds are not supported; write what may occur there, not what must not")
    }
    guard hasName else { throw flaw("a group begins with (? and has an unknown kind") }
    let start = index
    while let scalar = next, scalar.properties.isIDContinue || scalar == "$" { index += 1 }
    guard index > start, skip(">") else { throw flaw("a group's name is not closed") }
  }

  private mutating func readRepetition(of node: PatternNode) throws(PatternError) -> PatternNode {
    let least: Int
    var most: Int?
    switch next {
    case "*": least = 0
    case "+": least = 1
    case "?": (least, most) = (0, 1)
    case "{":
      index += 1
      guard let number = readNumber() else { throw flaw("a repetition names no number") }
      (least, most) = (number, number)
      if skip(",") { most = readNumber() }
      if let most, most < least { throw flaw("a repetition's bounds are out of order") }
      guard next == "}" else { throw flaw("a repetition is not closed") }
    default: return node
    }
    index += 1
    _ = skip("?")
    return .repetition(node, least: least, most: most)
  }

  /// Reads a number, clamped just above the instruction limit.
  private mutating func readNumber() -> Int? {
    let start = index
    var number = 0
    while let scalar = next, ("0"..."9").contains(scalar) {
      number = min(number * 10 + Int(scalar.value - 48), PatternProgram.instructionLimit + 1)
      index += 1
    }
    return index > start ? number : nil
  }

  // MARK: Classes

  private mutating func readClass() throws(PatternError) -> ScalarSet {
    let isNegated = skip("^")
    var members = ScalarSet()
    while !skip("]") {
      let (first, firstValue) = try readClassMember()
      guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
        members.formUnion(first)
        continue
      }
      index += 1
      let (_, lastValue) = try readClassMember()
      guard let firstValue, let lastValue else {
        throw flaw("a range begins or ends with a class")
      }
      guard firstValue <= lastValue else { throw flaw("a range is out of order") }
      members.ranges.append(firstValue...lastValue)
    }
    return isNegated ? members.negated : members
  }

  /// Reads a member of a class; also returns its value if it is one scalar.
  private mutating func readClassMember() throws(PatternError) -> (ScalarSet, UInt32?) {
    guard let scalar = next else { throw flaw("a class is not closed") }
    index += 1
    guard scalar == "\\" else { return (ScalarSet(scalar), scalar.value) }
    if let value = try readCharacterEscape(isInClass: true) {
      return (ScalarSet(value), value.value)
    }
    return (try readEscape(isInClass: true), nil)
  }

  // MARK: Escapes

  private mutating func readEscape(isInClass: Bool) throws(PatternError) -> ScalarSet {
    if let scalar = try readCharacterEscape(isInClass: isInClass) { return ScalarSet(scalar) }
    let letter = scalars[index]
    index += 1
    switch letter {
    case "d": return .digits
    case "D": return ScalarSet.digits.negated
    case "w": return .wordCharacters
    case "W": return ScalarSet.wordCharacters.negated
    case "s": return .whiteSpace
    case "S": return ScalarSet.whiteSpace.negated
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
      let name = "\\\(letter)" + String(String.UnicodeScalarView(scalars[start..<index]))
      _ = try PatternAlphabet.regex(ofProperty: name)
      return ScalarSet(properties: [name])
    case "0"..."9", "k": throw flaw("backreferences are not supported")
    default: throw flaw("\\\(letter) is not an escape")
    }
  }

  /// Reads the escape of one character after its backslash; returns nil, without reading, for other escapes.
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
}

/// A part of a regular expression. Greediness and captures do not affect whether it matches.
indirect enum PatternNode {
  case scalar(ScalarSet)
  case sequence([PatternNode])
  case alternatives([PatternNode])
  /// From `least` to `most` times, without an upper limit if `most` is nil.
  case repetition(PatternNode, least: Int, most: Int?)
  case start
  case end
  case wordBoundary(isNegated: Bool)
}

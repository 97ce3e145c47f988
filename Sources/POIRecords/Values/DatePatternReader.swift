/// Reads the text of a Unicode date pattern.
struct DatePatternReader {
  private var letters: Set<Character> = []

  var hasTime: Bool { !letters.isDisjoint(with: "HhmsSa") }

  var hasZone: Bool { letters.contains("z") }

  private static let advice =
    "a pattern consists of yyyy, yy, MM, M, MMM, MMMM, dd, d, EEE, EEEE, HH, H, hh, h, a, mm, m, ss, s, "
    + "S to SSSSSSSSS, z, Z, X to XXX, x to xxx; write other letters between apostrophes; iso8601 and rfc2822 "
    + "are patterns with a name"

  mutating func fields(of text: String) throws(DatePattern.Refusal) -> [DatePattern.Field] {
    var fields: [DatePattern.Field] = []
    var rest = Substring(text)
    while let first = rest.first {
      if first == "'" {
        fields += try quoted(&rest)
      } else if first.isASCII, first.isLetter {
        let run = rest.prefix { $0 == first }
        rest = rest.dropFirst(run.count)
        let field = try field(first, count: run.count)
        // Of two fields for one part, none would be right.
        guard letters.insert(Self.part(of: first)).inserted else {
          throw DatePattern.Refusal(message: "\"\(run)\" repeats a part of the date")
        }
        fields.append(field)
      } else {
        fields += first.utf8.map(DatePattern.Field.literal)
        rest = rest.dropFirst()
      }
    }
    try check(fields)
    return fields
  }

  /// The letter that represents all letters for the same part of a date.
  private static func part(of letter: Character) -> Character {
    switch letter {
    case "X", "x", "Z": "z"
    case "H": "h"
    default: letter
    }
  }

  private func field(_ letter: Character, count: Int) throws(DatePattern.Refusal)
    -> DatePattern.Field
  {
    switch (letter, count) {
    case ("y", 4): return .year(isShort: false)
    case ("y", 2): return .year(isShort: true)
    case ("M", 1...2): return .number(.month, isPadded: count == 2)
    case ("M", 3...4): return .month(isFull: count == 4)
    case ("d", 1...2): return .number(.day, isPadded: count == 2)
    case ("E", 1...4): return .weekday(isFull: count == 4)
    case ("H", 1...2): return .number(.hour, isPadded: count == 2)
    case ("h", 1...2): return .number(.hourOf12, isPadded: count == 2)
    case ("m", 1...2): return .number(.minute, isPadded: count == 2)
    case ("s", 1...2): return .number(.second, isPadded: count == 2)
    case ("S", 1...9): return .fraction(digitCount: count)
    case ("a", 1): return .dayPeriod
    case ("z", 1...3): return .zone(.name)
    case ("Z", 1...3): return .zone(.basic(isUTCLetter: false))
    case ("X", 1), ("x", 1): return .zone(.hours(isUTCLetter: letter == "X"))
    case ("X", 2), ("x", 2): return .zone(.basic(isUTCLetter: letter == "X"))
    case ("X", 3), ("x", 3): return .zone(.extended(isUTCLetter: letter == "X"))
    default:
      throw DatePattern.Refusal(
        message: "\"\(String(repeating: letter, count: count))\" is not a part that can be read; "
          + Self.advice)
    }
  }

  /// Reads a text between apostrophes; two apostrophes are one.
  private func quoted(_ rest: inout Substring) throws(DatePattern.Refusal) -> [DatePattern.Field] {
    rest = rest.dropFirst()
    var text = ""
    while let end = rest.firstIndex(of: "'") {
      text += rest[..<end]
      rest = rest[rest.index(after: end)...]
      if text.isEmpty {
        text = "'"
        break
      }
      guard rest.first == "'" else { break }
      text += "'"
      rest = rest.dropFirst()
      if !rest.contains("'") { throw DatePattern.Refusal(message: "an apostrophe is missing") }
    }
    guard !text.isEmpty else { throw DatePattern.Refusal(message: "an apostrophe is missing") }
    return text.utf8.map(DatePattern.Field.literal)
  }

  private func check(_ fields: [DatePattern.Field]) throws(DatePattern.Refusal) {
    guard letters.isSuperset(of: "yMd") else {
      throw DatePattern.Refusal(message: "it needs a year, a month and a day; " + Self.advice)
    }
    let hasHourOf12 = fields.contains {
      if case .number(.hourOf12, _) = $0 { true } else { false }
    }
    guard hasHourOf12 == letters.contains("a") else {
      throw DatePattern.Refusal(message: "\"h\" and \"a\" need each other; hours to 23 are \"H\"")
    }
    let time: [Character] = ["h", "m", "s", "S"]
    for (part, finer) in zip(time, time.dropFirst())
    where letters.contains(finer) && !letters.contains(part) {
      throw DatePattern.Refusal(message: "it has \"\(finer)\" without the larger part of the time")
    }
    guard !hasZone || letters.contains("h") else {
      throw DatePattern.Refusal(message: "it has a zone and no hour")
    }
    for (field, next) in zip(fields, fields.dropFirst()) {
      guard next.beginsWithDigit else { continue }
      switch field {
      case .number(_, isPadded: false):
        throw DatePattern.Refusal(
          message: "a number of one or two digits is followed by another digit; double its letter")
      case .zone(.hours):
        throw DatePattern.Refusal(
          message:
            "a zone of two or four digits is followed by another digit; write its letter twice")
      default: break
      }
    }
  }
}

extension DatePattern.Field {
  fileprivate var beginsWithDigit: Bool {
    switch self {
    case .year, .number, .fraction: true
    case .literal(let byte): (0x30...0x39).contains(byte)
    case .month, .weekday, .dayPeriod, .zone: false
    }
  }
}

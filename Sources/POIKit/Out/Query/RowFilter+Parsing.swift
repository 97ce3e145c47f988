extension RowFilter {
  /// A condition as people type it, such as `city = 'Berlin' and (area > 10 or area is null)`.
  ///
  /// A comparison is a name, an operator and a value. The operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, `~` for a text
  /// that contains another, `like` with `%` and `_`, `in (…)`, and `is null`. `and`, `or`, `not` and parentheses combine
  /// comparisons. A text is in single quotes, and a name may be in double quotes. A value that is neither quoted nor a
  /// number runs to the end: `name=Marks and Spencer`. No value at all is null.
  ///
  /// - Throws: `StoreError` with `invalidOptions` that shows the place, if it is no condition.
  public init(parsing text: String) throws(StoreError) {
    var parser = ConditionParser(text)
    do throws(StoreFailure) { self = try parser.condition() } catch {
      throw StoreError(error.code, error.message)
    }
  }
}

/// Reads a condition from a text.
private struct ConditionParser {
  private let text: [Character]
  private var place = 0
  private var depth = 0
  private static let depthLimit = 100

  private static let operators = ["=", "==", "!=", "<>", "<", "<=", ">", ">=", "~"]

  init(_ text: String) { self.text = Array(text) }

  mutating func condition() throws(StoreFailure) -> RowFilter {
    let filter = try disjunction()
    guard peek == nil else { throw failure("'and', 'or' or the end is expected") }
    return filter
  }

  private mutating func disjunction() throws(StoreFailure) -> RowFilter {
    var filters = [try conjunction()]
    while take(word: "or") { filters.append(try conjunction()) }
    return filters.count == 1 ? filters[0] : .any(filters)
  }

  private mutating func conjunction() throws(StoreFailure) -> RowFilter {
    var filters = [try factor()]
    while take(word: "and") { filters.append(try factor()) }
    return filters.count == 1 ? filters[0] : .all(filters)
  }

  private mutating func factor() throws(StoreFailure) -> RowFilter {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw failure("this is nested too deep") }
    if take(word: "not") { return .not(try factor()) }
    guard peek == "(" else { return try comparison() }
    let opening = place
    place += 1
    let filter = try disjunction()
    guard take(")") else {
      throw failure(
        "this parenthesis is not closed; a text in front of it needs quotes", at: opening)
    }
    return filter
  }

  private mutating func comparison() throws(StoreFailure) -> RowFilter {
    let name = try name()
    if take(word: "is") {
      let isNegated = take(word: "not")
      guard take(word: "null") else { throw failure("'null' is expected") }
      return isNegated ? .notEqual(name, RowValue.null) : .isNull(name)
    }
    let isNegated = take(word: "not")
    if take(word: "in") {
      let filter = RowFilter.any(try list().map { .equal(name, $0) })
      return isNegated ? .not(filter) : filter
    }
    if take(word: "like") {
      let start = place
      guard let pattern = try value().text else {
        throw failure("a pattern in single quotes is expected", at: start)
      }
      return isNegated ? .not(.like(name, pattern)) : .like(name, pattern)
    }
    guard !isNegated else { throw failure("'in' or 'like' is expected") }
    let found = try comparisonOperator()
    guard peek != nil || ["=", "==", "!=", "<>"].contains(found) else {
      throw failure("a value is expected")
    }
    let value = peek == nil ? RowValue.null : try value()
    return switch found {
    case "=", "==": .equal(name, value)
    case "!=", "<>": .notEqual(name, value)
    case "<": .less(name, value)
    case "<=": .atMost(name, value)
    case ">": .greater(name, value)
    case ">=": .atLeast(name, value)
    default: .contains(name, value.text ?? String(describing: value.json))
    }
  }

  private mutating func name() throws(StoreFailure) -> String {
    if peek == "\"" { return try quoted() }
    skipSpaces()
    let start = place
    while place < text.count, !text[place].isWhitespace, !"!<>=~()'\",".contains(text[place]) {
      place += 1
    }
    guard place > start else { throw failure("the name of an attribute is expected") }
    return String(text[start..<place])
  }

  private mutating func comparisonOperator() throws(StoreFailure) -> String {
    skipSpaces()
    let start = place
    while place < text.count, "!<>=~".contains(text[place]) { place += 1 }
    let found = String(text[start..<place])
    guard Self.operators.contains(found) else {
      throw failure(
        (found.isEmpty ? "an operator is expected" : "\(found) is no operator")
          + "; one is \(Self.operators.joined(separator: " ")), like, in or is null", at: start)
    }
    return found
  }

  private mutating func list() throws(StoreFailure) -> [RowValue] {
    guard take("(") else { throw failure("'(' is expected") }
    var values: [RowValue] = []
    repeat {
      skipSpaces()
      let start = place
      guard let value = try closedValue() else {
        throw failure("a number or a text in single quotes is expected", at: start)
      }
      values.append(value)
    } while take(",")
    guard take(")") else { throw failure("',' or ')' is expected") }
    return values
  }

  /// A value; one that is neither quoted nor a number runs to the end.
  private mutating func value() throws(StoreFailure) -> RowValue {
    skipSpaces()
    let start = place
    if let value = try closedValue() {
      if isAtBoundary || text[start] == "'" || text[start] == "\"" { return value }
      place = start
    }
    var end = text.count
    while end > start, text[end - 1].isWhitespace { end -= 1 }
    place = text.count
    return .text(String(text[start..<end]))
  }

  /// A text in quotes, a number, a date, `null`, `true` or `false`; nil for another value.
  private mutating func closedValue() throws(StoreFailure) -> RowValue? {
    guard let first = peek else { return nil }
    if first == "'" || first == "\"" { return .text(try quoted()) }
    for (word, value) in [
      ("null", RowValue.null), ("true", .text("true")), ("false", .text("false")),
    ] where take(word: word) { return value }
    let start = place
    while place < text.count, text[place].isASCII,
      text[place].isNumber || "+-.:eETZ".contains(text[place])
    {
      place += 1
    }
    let token = String(text[start..<place])
    guard token.contains(where: \.isNumber) else {
      place = start
      return nil
    }
    // A number in its usual notation is one for columns of any type.
    return Int64(token).flatMap { $0.description == token ? .integer($0) : nil }
      ?? Double(token).flatMap { $0.isFinite && $0.description == token ? .real($0) : nil }
      ?? .text(token)
  }

  /// A text in quotes, in which two of them are one.
  private mutating func quoted() throws(StoreFailure) -> String {
    skipSpaces()
    let start = place
    let quote = text[start]
    var found = ""
    place += 1
    while place < text.count {
      if text[place] == quote {
        guard place + 1 < text.count, text[place + 1] == quote else {
          place += 1
          return found
        }
        place += 1
      }
      found.append(text[place])
      place += 1
    }
    throw failure(
      "this quote is not closed; write it twice if it is a part of a text in quotes", at: start)
  }

  // MARK: Characters

  /// The next character that is no space.
  private var peek: Character? {
    mutating get {
      skipSpaces()
      return place < text.count ? text[place] : nil
    }
  }

  private mutating func skipSpaces() {
    while place < text.count, text[place].isWhitespace { place += 1 }
  }

  private mutating func take(_ character: Character) -> Bool {
    guard peek == character else { return false }
    place += 1
    return true
  }

  /// Takes a word in letters of either case, unless it is a part of a longer one or the name in a comparison.
  private mutating func take(word: String) -> Bool {
    skipSpaces()
    let end = place + word.count
    guard end <= text.count, String(text[place..<end]).lowercased() == word,
      end == text.count || text[end].isWhitespace || "(),".contains(text[end])
    else { return false }
    place = end
    return true
  }

  /// Whether a value may end here: at the end, before a parenthesis, or before `and` and `or`.
  private var isAtBoundary: Bool {
    var rest = self
    return rest.peek == nil || rest.peek == ")" || rest.take(word: "and") || rest.take(word: "or")
  }

  private func failure(_ message: String, at start: Int? = nil) -> StoreFailure {
    let before = String(repeating: " ", count: start ?? place)
    let line = String(text.map { $0.isWhitespace ? " " : $0 })
    return StoreFailure(.invalidOptions, "\(message)\n  \(line)\n  \(before)^")
  }
}

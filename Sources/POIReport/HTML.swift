internal import POIRecords

/// A part of an HTML page that cannot contain unescaped text.
///
/// It is written as a literal. A literal may interpolate other `HTML`, numbers, and texts, which are escaped:
/// `"<th>\(text: name)</th><td>\(count)</td>"`. A plain `String` cannot be interpolated: that does not compile. A text is content of an element, or an attribute in
/// double quotes, and never a name, a style or an address.
struct HTML: ExpressibleByStringInterpolation, Sendable {
  /// The text as the browser gets it.
  private(set) var text: String

  // A `StaticString` can only be a literal: the compiler accepts no variable.
  init(stringLiteral literal: StaticString) { text = literal.description }

  init(stringInterpolation parts: StringInterpolation) { text = parts.text }

  static func += (left: inout HTML, right: HTML) { left.text += right.text }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

    mutating func appendInterpolation(_ part: HTML) { text += part.text }

    /// Appends a whole number with a comma between groups of three digits.
    mutating func appendInterpolation(_ count: Int) {
      let digits = String(count)
      for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index).isMultiple(of: 3), digits.first != "-" || index > 1 {
          text += ","
        }
        text.append(digit)
      }
    }

    /// Appends a number of a drawing, with at most two decimals.
    mutating func appendInterpolation(_ length: Double) {
      text += "\((length * 100).rounded() / 100)"
    }

    /// Appends the address of an image.
    mutating func appendInterpolation(png: [UInt8]) {
      text += "data:image/png;base64," + Base64.encode(png.span)
    }

    /// Appends an escaped text, the only way for other text to become HTML.
    ///
    /// - Parameter limit: the largest number of Unicode scalars; a longer text ends with `…`.
    mutating func appendInterpolation(text other: some StringProtocol, limit: Int = 200) {
      for (place, scalar) in other.unicodeScalars.enumerated() {
        guard place < limit else {
          text += "…"
          return
        }
        switch scalar {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        // The picture of a control character, such as ␊.
        case "\0"..."\u{1F}": text += "&#\(scalar.value + 0x2400);"
        case _ where HTML.isVisible(scalar): text.unicodeScalars.append(scalar)
        default: text += "⟨U+\(String(scalar.value, radix: 16, uppercase: true))⟩"
        }
      }
    }
  }

  /// Whether a character neither hides nor reorders its neighbours. Joiners belong to scripts and emoji.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    case .format: return scalar == "\u{200C}" || scalar == "\u{200D}"
    default: return !scalar.properties.isNoncharacterCodePoint
    }
  }
}

extension Sequence {
  /// What `body` makes of the elements, one after the other.
  func html(_ body: (Element) -> HTML) -> HTML {
    var joined: HTML = ""
    for element in self { joined += body(element) }
    return joined
  }
}

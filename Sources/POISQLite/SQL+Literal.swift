extension SQL: ExpressibleByStringInterpolation {
  // A `StaticString` can only be a literal: the compiler accepts no variable.

  /// SQL from a literal.
  public init(stringLiteral literal: StaticString) {
    self.init(verbatim: literal.description)
  }

  /// SQL from a literal with interpolations.
  public init(stringInterpolation parts: StringInterpolation) {
    self.init(verbatim: parts.text)
  }

  /// What a literal may interpolate.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text: String

    /// An empty text with room for about `literalCapacity` bytes.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text = ""
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    /// Appends a segment of the literal.
    public mutating func appendLiteral(_ literal: StaticString) {
      text += literal.description
    }

    /// Appends other SQL verbatim.
    public mutating func appendInterpolation(_ part: SQL) {
      text += part.text
    }

    /// Appends a whole number in decimal digits.
    public mutating func appendInterpolation(_ number: some FixedWidthInteger) {
      text += String(number)
    }

    /// Appends a quoted identifier: in double quotes, with inner ones doubled.
    public mutating func appendInterpolation(name: String) {
      append(name, between: "\"")
    }

    /// Appends a text literal: in single quotes, with inner ones doubled.
    ///
    /// For statements that accept no parameters, such as `CREATE`, for the program's own texts, and for
    /// names of tables and columns; elsewhere bind values.
    public mutating func appendInterpolation(literal: String) {
      append(literal, between: "'")
    }

    /// Quotes a text: the only place where other text becomes SQL.
    private mutating func append(_ other: String, between quote: Unicode.Scalar) {
      text.unicodeScalars.append(quote)
      if other.utf8.contains(UInt8(ascii: quote)) {
        for scalar in other.unicodeScalars {
          if scalar == quote { text.unicodeScalars.append(quote) }
          text.unicodeScalars.append(scalar)
        }
      } else {
        text += other
      }
      text.unicodeScalars.append(quote)
    }
  }
}

extension SQL: ExpressibleByStringInterpolation {
  // A static string can only be a literal: the compiler takes no variable for it.

  /// SQL that is written as a literal.
  public init(stringLiteral literal: StaticString) {
    self.init(verbatim: literal.description)
  }

  /// SQL that is written as a literal with other parts in it.
  public init(stringInterpolation parts: StringInterpolation) {
    self.init(verbatim: parts.text)
  }

  /// What a literal may have put into it.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text: String

    /// An empty text, for about so many bytes.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text = ""
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    /// Appends a piece of the literal.
    public mutating func appendLiteral(_ literal: StaticString) {
      text += literal.description
    }

    /// Appends other SQL as it is.
    public mutating func appendInterpolation(_ part: SQL) {
      text += part.text
    }

    /// Appends a whole number in decimal digits.
    public mutating func appendInterpolation(_ number: some FixedWidthInteger) {
      text += String(number)
    }

    /// Appends a name of a table, a column or the like: in double quotes, those inside it doubled.
    public mutating func appendInterpolation(name: String) {
      append(name, between: "\"")
    }

    /// Appends a text literal: in single quotes, those inside it doubled.
    ///
    /// For statements that take no parameters, such as `CREATE`, and for texts of the program's own;
    /// elsewhere values are bound.
    public mutating func appendInterpolation(literal: String) {
      append(literal, between: "'")
    }

    /// Quotes a text: the one place where text that is no SQL turns into it.
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

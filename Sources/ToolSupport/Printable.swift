/// A text that is safe to show on a terminal, whatever data it came from.
///
/// Control characters, escape sequences, line ends, invisible characters and those that turn the
/// direction of writing are replaced by `\u{…}` with their number in hexadecimal. Joiners inside
/// scripts and emoji stay.
///
/// - Complexity: O(length)
public func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if isUnprintable(scalar) {
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Lines of text, each as `printable` makes it; tabs and the ends of lines stay.
///
/// - Complexity: O(length)
func printableLines(_ text: String) -> String {
  let needsNothing = text.utf8.allSatisfy { byte in
    isPrintableASCII(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
  }
  if needsNothing { return text }
  return text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false)
        .map { printable(String($0)) }.joined(separator: "\t")
    }
    .joined(separator: "\n")
}

/// JSON text with what could act on a terminal written as escapes, which say the same.
///
/// Such characters stand inside strings only, but for the ends of lines, which stay.
///
/// - Complexity: O(length)
func printableJSON(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: { $0 != "\n" && isUnprintable($0) }) else {
    return text
  }
  var result = ""
  for scalar in text.unicodeScalars {
    if scalar != "\n", isUnprintable(scalar) {
      result += jsonEscape(scalar)
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// A character as JSON writes it by its number: `\u` and four digits, twice beyond U+FFFF.
func jsonEscape(_ scalar: Unicode.Scalar) -> String {
  UTF16.encode(scalar).map { unit in
    unit.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  } ?? ""
}

/// Whether a byte of UTF-8 is a character of ASCII that could not act on a terminal.
func isPrintableASCII(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7f }

/// Whether a character could act on a terminal, or hide what stands beside it.
func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: return true
  case .format: return scalar != "\u{200c}" && scalar != "\u{200d}"
  default: return false
  }
}

/// Makes a text safe to show on a terminal, whatever data it came from.
///
/// Control characters, escape sequences, line ends, invisible characters and those that change the
/// direction of writing become `\u{…}` with their hexadecimal number. Joiners inside scripts and
/// emoji stay.
///
/// - Complexity: O(length)
public func printable(_ text: String) -> String {
  replacingUnprintable(in: text, keeping: [], with: braced)
}

func printableLines(_ text: String) -> String {
  replacingUnprintable(in: text, keeping: ["\n", "\t"], with: braced)
}

/// Escapes the characters of JSON text that could act on a terminal; the JSON value stays the same.
///
/// Such characters are only inside strings, except line ends, which stay.
func printableJSON(_ text: String) -> String {
  replacingUnprintable(in: text, keeping: ["\n"]) { scalar in
    Array(String(scalar).utf16).map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

private func braced(_ scalar: Unicode.Scalar) -> String {
  "\\u{" + String(scalar.value, radix: 16) + "}"
}

private func replacingUnprintable(
  in text: String, keeping kept: [Unicode.Scalar], with escape: (Unicode.Scalar) -> String
) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    if isUnprintable(scalar), !kept.contains(scalar) {
      result += escape(scalar)
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Whether a character could act on a terminal or hide its neighbours.
private func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: return true
  case .format: return scalar != "\u{200c}" && scalar != "\u{200d}"
  default: return false
  }
}

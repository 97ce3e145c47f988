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

private func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: return true
  case .format: return scalar != "\u{200c}" && scalar != "\u{200d}"
  default: return false
  }
}

package import JSONStreaming

/// Writes JSON text: compact, with the fewest escapes.
package enum JSONText {
  /// Appends the value at `index` in compact form; numbers keep their notation.
  ///
  /// - Parameter byteLimit: writing stops once `output` has this many bytes.
  package static func append(
    valueAt index: Int, of tape: Tape, to output: inout GrowableBuffer<UInt8>,
    byteLimit: Int = .max
  ) {
    var index = index
    var needsComma = false
    var depth = 0
    repeat {
      let token = tape[index]
      switch token.kind {
      case .endObject, .endArray:
        output.append(token.kind == .endObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        depth -= 1
        needsComma = true
      case .key:
        if needsComma { output.append(UInt8(ascii: ",")) }
        appendQuoted(tape.text(of: token), to: &output)
        output.append(UInt8(ascii: ":"))
        needsComma = false
      default:
        if needsComma { output.append(UInt8(ascii: ",")) }
        needsComma = appendStart(of: token, on: tape, to: &output)
        if !needsComma { depth += 1 }
      }
      index += 1
    } while depth > 0 && output.count < byteLimit
  }

  /// Appends a scalar or an opening bracket; returns whether it was a scalar.
  private static func appendStart(
    of token: Token, on tape: Tape, to output: inout GrowableBuffer<UInt8>
  ) -> Bool {
    switch token.kind {
    case .startObject:
      output.append(UInt8(ascii: "{"))
      return false
    case .startArray:
      output.append(UInt8(ascii: "["))
      return false
    case .null: append("null", to: &output)
    case .true: append("true", to: &output)
    case .false: append("false", to: &output)
    case .number: output.append(copying: tape.text(of: token))
    default: appendQuoted(tape.text(of: token), to: &output)
    }
    return true
  }

  package static func append(_ ascii: StaticString, to output: inout GrowableBuffer<UInt8>) {
    unsafe output.append(from: ascii.utf8Start, count: ascii.utf8CodeUnitCount)
  }

  package static func appendQuoted(_ text: Span<UInt8>, to output: inout GrowableBuffer<UInt8>) {
    output.append(UInt8(ascii: "\""))
    var written = 0
    for index in text.indices {
      let byte = text[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      output.append(copying: text.extracting(written..<index))
      written = index + 1
      appendEscape(of: byte, to: &output)
    }
    output.append(copying: text.extracting(written..<text.count))
    output.append(UInt8(ascii: "\""))
  }

  /// Appends a text as a string if it is ASCII without escapes; otherwise returns false.
  package static func appendPlain(
    _ text: Span<UInt8>, to output: inout GrowableBuffer<UInt8>
  ) -> Bool {
    let isPlain = unsafe text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count >= 8 else {
        return unsafe bytes.allSatisfy { EightBytes(repeating: $0).arePlainASCII }
      }
      var offset = 0
      while offset < bytes.count - 8 {
        guard unsafe EightBytes(start, at: offset).arePlainASCII else { return false }
        offset += 8
      }
      return unsafe EightBytes(start, at: bytes.count - 8).arePlainASCII
    }
    guard isPlain else { return false }
    output.append(UInt8(ascii: "\""))
    output.append(bytes: text)
    output.append(UInt8(ascii: "\""))
    return true
  }

  private static func appendEscape(of byte: UInt8, to output: inout GrowableBuffer<UInt8>) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    case 0x09: output.append(UInt8(ascii: "t"))
    default:
      append("u00", to: &output)
      for digit in [byte >> 4, byte & 15] {
        output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }

  /// `text` as a JSON string.
  package static func quoted(_ text: String) -> String {
    var output = GrowableBuffer<UInt8>(minimumCapacity: text.utf8.count + 2)
    appendQuoted(text.utf8Span.span, to: &output)
    return String(copying: output.span)
  }
}

extension String {
  /// A copy of UTF-8 bytes; invalid sequences become U+FFFD.
  package init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

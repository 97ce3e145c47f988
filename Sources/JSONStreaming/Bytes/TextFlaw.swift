/// A violation of a JSON rule that yajl does not enforce.
struct TextFlaw: BitwiseCopyable, Equatable {
  enum Rule: UInt8, BitwiseCopyable {
    case utf8, surrogateEscape
  }

  var rule: Rule

  /// The offset of the first ill-formed byte.
  var byteOffset: Int

  /// The offset of the byte that proves the flaw.
  var noticedOffset: Int
}

extension TextFlaw {
  var malformation: Malformation {
    switch rule {
    case .utf8:
      Malformation(
        rule: "utf-8",
        message: "the bytes here are not utf-8: name the encoding of the input, or convert it",
        byteOffset: byteOffset)
    case .surrogateEscape:
      Malformation(
        rule: "surrogate-escape",
        message: "a \\u escape here is half of a surrogate pair: write both halves or neither",
        byteOffset: byteOffset)
    }
  }
}

/// A place where a JSON text breaks a rule that yajl does not enforce.
struct TextFlaw: BitwiseCopyable, Equatable {
  enum Rule: UInt8, BitwiseCopyable {
    case utf8, surrogateEscape
  }

  var rule: Rule

  /// Where the ill-formed bytes begin.
  var byteOffset: Int

  /// The byte that proved the flaw; the number of bytes before it is how many had to be seen.
  var noticedOffset: Int
}

extension TextFlaw {
  /// The flaw as the reader reports it.
  var malformation: Malformation {
    switch rule {
    case .utf8:
      Malformation(
        rule: "utf-8", message: "the bytes here are not utf-8: convert the input to utf-8",
        byteOffset: byteOffset)
    case .surrogateEscape:
      Malformation(
        rule: "surrogate-escape",
        message: "a \\u escape here is half of a surrogate pair: write both halves or neither",
        byteOffset: byteOffset)
    }
  }
}

internal import CPOIYajl

/// yajl's report on bytes that it rejects.
struct YajlFailure {
  /// yajl's message without the kind of error and the full stop.
  let text: String

  /// The index of the flaw in the bytes of the last call; inside a string, an index near its start.
  ///
  /// After most errors yajl has consumed the offending byte. Inside a token, and in an object after
  /// a value, it steps back before it.
  let byteIndex: Int

  /// Whether the flaw is a valid token that is not allowed here.
  let isUnexpectedToken: Bool

  /// Reads the error of a failed parser.
  @unsafe
  init(of handle: OpaquePointer?, _ parsedByteCount: Int) {
    let consumed = parsedByteCount + (unsafe yajl_get_bytes_consumed(handle))
    let words = unsafe cyajl_get_error(handle)!
    defer { unsafe yajl_free_error(handle, words) }
    var text = unsafe Substring(String(cString: words)).utf8
    while text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: ".") { text.removeLast() }
    isUnexpectedToken = Self.removeKind("parse error: ", from: &text)
    let isInToken = Self.removeKind("lexical error: ", from: &text)
    let stepsBack =
      isInToken
      ? !text.elementsEqual("invalid char in json text".utf8)
      : text.starts(with: "after key and value, inside map".utf8)
    // yajl's message on any slash recommends an option of yajl.
    self.text =
      text.starts(with: "probable comment".utf8)
      ? "json allows no comment or slash here: remove it" : String(Substring(text))
    byteIndex = stepsBack ? consumed : consumed - 1
  }

  /// Removes the kind of error from the start of the message; false if it is another kind.
  private static func removeKind(_ kind: String, from text: inout Substring.UTF8View) -> Bool {
    guard text.starts(with: kind.utf8) else { return false }
    text.removeFirst(kind.utf8.count)
    return true
  }
}

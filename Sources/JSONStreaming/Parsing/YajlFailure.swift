internal import CYajl

/// What yajl says of bytes that it refuses.
struct YajlFailure {
  /// Its words, without the kind of error and the full stop.
  let text: String

  /// Where in the bytes of the last call the flaw is, or inside a string a little behind its start.
  ///
  /// After most errors yajl has used up the offending byte; inside a token, and in an object after
  /// a value, it steps back in front of it.
  let byteIndex: Int

  /// Whether it is a token that may not stand where it stands, and no flaw inside a token.
  let isOfToken: Bool

  /// Asks a parser that has failed.
  ///
  /// - Parameter parsedByteCount: as `cyajl_parse` says.
  @unsafe
  init(of handle: OpaquePointer?, _ parsedByteCount: Int) {
    let consumed = parsedByteCount + (unsafe yajl_get_bytes_consumed(handle))
    let words = unsafe cyajl_get_error(handle)!
    defer { unsafe yajl_free_error(handle, words) }
    var text = unsafe Substring(String(cString: words)).utf8
    while text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: ".") { text.removeLast() }
    isOfToken = Self.removeKind("parse error: ", from: &text)
    let isInToken = Self.removeKind("lexical error: ", from: &text)
    let stepsBack =
      isInToken
      ? !text.elementsEqual("invalid char in json text".utf8)
      : text.starts(with: "after key and value, inside map".utf8)
    // What yajl says of every slash speaks of an option of its own.
    self.text =
      text.starts(with: "probable comment".utf8)
      ? "json allows no comment or slash here: remove it" : String(Substring(text))
    byteIndex = stepsBack ? consumed : consumed - 1
  }

  /// Removes the kind of error from the beginning of yajl's words; false if they are of another kind.
  private static func removeKind(_ kind: String, from text: inout Substring.UTF8View) -> Bool {
    guard text.starts(with: kind.utf8) else { return false }
    text.removeFirst(kind.utf8.count)
    return true
  }
}

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

  /// Whether yajl found no memory to look or to say what it found.
  let isOutOfMemory: Bool

  /// That there is no memory.
  static let outOfMemory = YajlFailure(outOfMemory: "no memory")

  private init(outOfMemory text: String) {
    self.text = text
    byteIndex = 0
    isOfToken = false
    isOutOfMemory = true
  }

  /// Asks a parser that has failed.
  @unsafe
  init(of handle: OpaquePointer?, _ memory: UnsafeMutablePointer<cyajl_memory>) {
    let consumed = unsafe cyajl_get_bytes_consumed(handle)
    guard let words = unsafe cyajl_get_error(handle, memory) else {
      self = .outOfMemory
      return
    }
    defer { unsafe yajl_free_error(handle, words) }
    var text = unsafe String(cString: words)
    while text.last == "\n" || text.last == "." { text.removeLast() }
    isOfToken = text.hasPrefix("parse error: ")
    var stepsBack = text.contains("after key and value, inside map")
    for kind in ["parse error: ", "lexical error: "] where text.hasPrefix(kind) {
      text.removeFirst(kind.count)
      if kind.hasPrefix("lexical"), text != "invalid char in json text" { stepsBack = true }
    }
    self.text = text
    byteIndex = stepsBack ? consumed : consumed - 1
    isOutOfMemory = false
  }
}

extension String {
  /// The columns of the text on a terminal; every Unicode scalar counts as one.
  var columnCount: Int { unicodeScalars.count }

  func padded(to columnCount: Int) -> String {
    self + String(repeating: " ", count: max(0, columnCount - self.columnCount))
  }

  /// Wraps the text at `columnCount` columns; a longer word has its own line.
  func wrapped(to columnCount: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ").map(String.init) {
      if !line.isEmpty, line.columnCount + 1 + word.columnCount > columnCount {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

/// A value that knows its JSON form.
public protocol JSONWritable {
  /// Writes exactly one value.
  func write(to json: inout JSONWriter)
}

extension String: JSONWritable {
  /// Writes a string.
  public func write(to json: inout JSONWriter) { json.writeString(self) }
}

extension Bool: JSONWritable {
  /// Writes true or false.
  public func write(to json: inout JSONWriter) { json.writeLiteral(self ? "true" : "false") }
}

extension Int: JSONWritable {
  /// Writes the number with all its digits.
  public func write(to json: inout JSONWriter) { json.writeLiteral(String(self)) }
}

extension Int64: JSONWritable {
  /// Writes the number with all its digits.
  public func write(to json: inout JSONWriter) { json.writeLiteral(String(self)) }
}

extension UInt64: JSONWritable {
  /// Writes the number with all its digits.
  public func write(to json: inout JSONWriter) { json.writeLiteral(String(self)) }
}

extension Double: JSONWritable {
  /// Writes the shortest number that reads back the same; null for infinity and not-a-number, which
  /// JSON lacks.
  public func write(to json: inout JSONWriter) {
    json.writeLiteral(isFinite ? description : "null")
  }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
  /// Writes the value, or null where there is none.
  public func write(to json: inout JSONWriter) {
    if let self { self.write(to: &json) } else { json.writeLiteral("null") }
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  /// Writes an array of the elements.
  public func write(to json: inout JSONWriter) {
    json.array { json in
      for element in self { json.value(element) }
    }
  }
}

internal import POISQLite

extension SQL {
  /// The number of arguments that every build of SQLite accepts for a function.
  private static let argumentLimit = 100

  static func jsonArray(_ values: [SQL]) -> SQL {
    guard values.count > argumentLimit else {
      return "json_array(\(values.joined(separator: ", ")))"
    }
    let parts: [SQL] = stride(from: 0, to: values.count, by: argumentLimit).map { start in
      let part = values[start..<min(start + argumentLimit, values.count)]
      return "trim(json_array(\(part.joined(separator: ", "))), '[]')"
    }
    return "'[' || \(parts.joined(separator: " || ',' || ")) || ']'"
  }
}

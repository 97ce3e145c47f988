internal import SQLiteKit

extension SQL {
  /// The most arguments that a function of SQLite takes, however it was built.
  private static let argumentLimit = 100

  /// A JSON array of scalar values.
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

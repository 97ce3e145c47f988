/// Chooses column names of letters, digits and underscores, unique regardless of case.
struct ColumnNames {
  /// The longest name, in Unicode scalar values.
  private static let lengthLimit = 60

  private static let rowIDs: Set<String> = ["rowid", "oid", "_rowid_"]

  /// The keywords that SQLite reads as a name only in quotes (https://sqlite.org/lang_keywords.html).
  static let reservedWords = Set(
    """
    add all alter and as autoincrement between case check collate commit constraint create default deferrable \
    delete distinct drop else escape exists foreign from group having in index insert intersect into is isnull \
    join limit not nothing notnull null on or order primary references returning select set table then to \
    transaction union unique update using values when where
    """.split(separator: " ").map(String.init))

  /// In lower case.
  private var taken: Set<String>

  init(taken: Set<String> = []) { self.taken = taken }

  /// A unique name from `steps`, or from `longer` if that name is taken.
  mutating func name(for steps: [String], or longer: [String] = []) -> String {
    let base = ColumnNames.safe(steps.joined(separator: "_"))
    if taken.insert(base.lowercased()).inserted { return base }
    let second = longer.isEmpty ? base : ColumnNames.safe(longer.joined(separator: "_"))
    var name = second
    var number = 2
    while !taken.insert(name.lowercased()).inserted {
      name = "\(second)_\(number)"
      number += 1
    }
    return name
  }

  /// A valid table or column name similar to a text.
  static func safe(_ text: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars.prefix(lengthLimit) {
      let isKept =
        scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
      name.unicodeScalars.append(isKept ? scalar : "_")
    }
    while name.hasPrefix("_"), name.utf8.count > 1 { name.removeFirst() }
    while name.hasSuffix("_"), name.utf8.count > 1 { name.removeLast() }
    if name.isEmpty || name == "_" { return "value" }
    let lowercased = name.lowercased()
    if rowIDs.contains(lowercased) { return name + "_" }
    let isTaken =
      lowercased.hasPrefix("sqlite") || lowercased.hasPrefix("poikit")
      || name.unicodeScalars.first?.properties.numericType != nil
    return isTaken ? "x_" + name : name
  }
}

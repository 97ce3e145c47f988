internal import POIKit
internal import POIPlatform
internal import POISQLite

/// The names in a store that a completion script asks for, with `TOOL --complete WHAT WORD…`.
struct StoreCompletion {
  enum Kind: String {
    case tables, attributes
  }

  /// The option of the scripts, which is no option for people.
  static let option = "--complete"

  private let kind: Kind
  private let store: String
  private let table: String?

  /// - Parameter words: the kind, and the words of the command line so far.
  init?(_ words: [String], of command: CommandDescription) {
    guard let kind = words.first.flatMap(Kind.init) else { return nil }
    self.kind = kind
    func value(of name: String) -> String? {
      guard let option = command.option(named: name) else { return nil }
      let place = words.lastIndex { option.flagNames.contains($0) }
      let next = place.map(words.index(after:)).flatMap {
        words.indices.contains($0) ? words[$0] : nil
      }
      let attached = words.last { $0.hasPrefix(option.flagName + "=") }
      return attached.map { String($0.dropFirst(option.flagName.count + 1)) } ?? next
    }
    table = value(of: "table")
    let named =
      value(of: "store")
      ?? (command.positional?.placeholder == "STORE"
        ? words.dropFirst().first { !$0.hasPrefix("-") && StoreCompletion.isFile($0) } : nil)
    store = StoreCompletion.path(named ?? command.option(named: "store")?.defaultValue ?? "")
  }

  /// The names, one a line; nothing if they cannot be read.
  var text: String {
    guard StoreCompletion.isFile(store),
      let names = try? names(in: Store.Database(path: store, for: .readOnly))
    else { return "" }
    return names.map { $0 + "\n" }.joined()
  }

  private func names(in database: consuming Store.Database) throws -> [String] {
    switch (database, kind) {
    case (.store(let store), .tables): try store.tables()
    case (.store(let store), .attributes): try store.attributeNames(of: table)
    case (.foreign(let connection), .tables):
      try connection.rows(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
      ) { $0.text(0) }
    case (.foreign(let connection), .attributes):
      try connection.rows("SELECT name FROM pragma_table_info(\(literal: table ?? ""))") {
        $0.text(0)
      }
    }
  }

  private static func isFile(_ path: String) -> Bool {
    unsafe access(Self.path(path), F_OK) == 0
  }

  /// The path of a word that the shell has not expanded.
  private static func path(_ word: String) -> String {
    guard word.hasPrefix("~/"), let home = unsafe getenv("HOME") else { return word }
    return unsafe String(cString: home) + word.dropFirst()
  }
}

extension OptionDescription {
  /// The names in a store that the option's value is, or begins with.
  var completed: StoreCompletion.Kind? {
    guard let placeholder else { return nil }
    return placeholder == "TABLE"
      ? .tables : placeholder == "CONDITION" || placeholder.hasPrefix("NAME[") ? .attributes : nil
  }
}

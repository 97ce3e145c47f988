import POIKit

/// Writes the records of a model as structs of a Swift program.
struct SwiftSource {
  /// The source text, with a final newline.
  private(set) var text = ""

  init(_ model: Model) {
    let name = Self.typeName(model.table)
    text =
      "/// A record of the table `\(model.table)`; `store.rows(as: \(name).self)` returns them.\n"
    append(name, model.attributes, model.relations, indent: 0)
  }

  private mutating func append(
    _ name: String, _ attributes: [Attribute], _ relations: [RelationToMany], indent: Int
  ) {
    let margin = String(repeating: " ", count: indent + 2)
    var used: Set<String> = []
    var members: [(name: String, key: String, type: String)] = []
    var nested: [(name: String, attributes: [Attribute], relations: [RelationToMany])] = []
    func add(_ key: String, _ type: String) {
      members.append((Self.unique(Self.memberName(key), among: &used), key, type))
    }
    for attribute in attributes {
      var type = Self.type(of: attribute)
      if let relation = attribute.relation {
        type =
          relation.isPlain
          ? Self.type(of: relation.attributes[0])
          : Self.unique(Self.typeName(attribute.name), among: &used)
        if !relation.isPlain { nested.append((type, relation.attributes, [])) }
      }
      add(attribute.name, attribute.isColumnNotNull ? type : type + "?")
    }
    for relation in relations {
      let element = relation.element
      var type = Self.type(of: element.attributes[0])
      if !relation.isPlain {
        type = Self.unique(Self.typeName(relation.name), among: &used)
        nested.append((type, element.attributes, element.relations))
      }
      add(relation.name, "[\(type)]")
    }

    let outer = String(repeating: " ", count: indent)
    text += "\(outer)struct \(name): Codable, Sendable {\n"
    for member in members { text += "\(margin)var \(Self.escaped(member.name)): \(member.type)\n" }
    if members.contains(where: { $0.name != $0.key }) {
      text += "\n\(margin)enum CodingKeys: String, CodingKey {\n"
      for member in members {
        let value = member.name == member.key ? "" : " = \(String(reflecting: member.key))"
        text += "\(margin)  case \(Self.escaped(member.name))\(value)\n"
      }
      text += "\(margin)}\n"
    }
    for part in nested {
      text += "\n"
      append(part.name, part.attributes, part.relations, indent: indent + 2)
    }
    text += "\(outer)}\n"
  }

  /// The type of an attribute's values, if it is not a relation.
  private static func type(of attribute: Attribute) -> String {
    switch attribute.storage {
    case .text, .date, .uuid: "String"
    case .integer: attribute.types.isSubset(of: [.boolean, .null]) ? "Bool" : "Int"
    case .real: "Double"
    case .instant: "Instant"
    case .json, .any, .relation: "RowValue"
    }
  }

  /// A name as Swift accepts it: letters, digits and underscores; a letter after another character is
  /// capital.
  private static func words(_ name: String) -> String {
    var word = ""
    var isNew = false
    for character in name {
      guard character.isASCII, character.isLetter || character.isNumber || character == "_" else {
        isNew = !word.isEmpty
        continue
      }
      word += isNew ? character.uppercased() : String(character)
      isNew = false
    }
    if word.allSatisfy({ $0 == "_" }) { return "field" + word }
    return word.first?.isNumber == true ? "_" + word : word
  }

  private static func memberName(_ name: String) -> String { words(name) }

  private static func typeName(_ name: String) -> String {
    let parts = words(name).split(separator: "_")
    let name = parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    let isTaken = [
      "Any", "Bool", "Codable", "CodingKey", "CodingKeys", "Double", "Instant", "Int", "Protocol",
      "RowValue", "Self", "Sendable", "String", "Type",
    ]
    return name.first.map { $0.isNumber } ?? true || isTaken.contains(name) ? "Row" + name : name
  }

  private static func unique(_ name: String, among used: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !used.insert(candidate).inserted {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }

  private static func escaped(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  private static let keywords: Set<String> = [
    "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default",
    "defer",
    "deinit",
    "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
    "guard",
    "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "private",
    "precedencegroup", "protocol", "public", "repeat", "rethrows", "return", "self", "static",
    "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
    "while",
  ]
}

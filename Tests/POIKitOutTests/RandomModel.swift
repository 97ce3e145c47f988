import POITestSupport

/// A model made at random, with records that it accepts.
struct RandomModel {
  /// The document of the model.
  let document: String

  /// Whether the records are members of an object, whose names are attributes.
  let hasNamedRecords: Bool

  private let values: [Value]

  /// A place in a record, and what can be there.
  private struct Value {
    let pointer: [String]
    let texts: [String]
    /// Whether every record has it.
    let isRequired: Bool
  }

  private struct Kind {
    let schema: String
    let texts: [String]
  }

  private static let kinds = [
    Kind(schema: #""type":["string","null"]"#, texts: [#""""#, #""a\"\\\n\u0001é😀""#, "null"]),
    Kind(
      schema: #""type":["integer","null"]"#,
      texts: ["0", "-9223372036854775808", "9223372036854775807", "1e3", "5.0", "null"]),
    Kind(
      schema: #""type":"number""#,
      texts: ["0.1", "-0.0", "1e300", "5e-324", "2", "123456789.123456789", "1E+2"]),
    Kind(schema: #""type":["boolean","null"],"default":true"#, texts: ["true", "false", "null"]),
    Kind(schema: #""type":"integer","default":7"#, texts: ["1", "7"]),
    Kind(
      schema: #""type":["integer","string","null"]"#, texts: ["1", #""1""#, #""x""#, "null", "2.0"]),
    Kind(schema: #""type":["boolean","string"]"#, texts: ["true", "false", #""true""#]),
    Kind(
      schema: #""type":["array","object","string","number"]"#,
      texts: [
        #"[1,{"b":[]},"c"]"#, #""[1]""#, #""[ 1 ]""#, #"{"z":1.50,"a":null}"#, "1.25", #""{""#,
      ]
    ),
    Kind(
      schema: #""type":["object","array","null"]"#,
      texts: [#"{"b":{"c":1.0},"a":[]}"#, "[]", "{}", #"["\u0041\/"]"#, "null"]),
    Kind(
      schema: #""type":["string","null"],"format":"date-time","x-zone":"+05:30""#,
      texts: [
        #""2024-02-29T12:30:00+01:00""#, #""1969-12-31T23:59:59.999999Z""#,
        #""0000-01-01T00:00:00Z""#, #""2024-01-01 00:00:00.5""#, "null",
      ]),
    Kind(
      schema: #""type":"number","x-unit":"seconds""#,
      texts: ["1700000000", "-0.000001", "1700000000.25", "0"]),
    Kind(
      schema: #""type":"integer","x-unit":"milliseconds""#,
      texts: ["1700000000123", "-1"]),
    Kind(
      schema:
        #""type":"string","format":"date-time","x-date-pattern":"EEE MMM dd HH:mm:ss Z yyyy""#,
      texts: [#""Thu Feb 29 12:30:00 +0100 2024""#]),
    Kind(
      schema:
        #""type":"string","format":"date-time","x-date-pattern":"dd.MM.yy h:m a","x-zone":"-03:00""#,
      texts: [#""29.02.24 12:5 AM""#, #""01.12.50 1:59 pm""#, #""01.12.49 12:00 PM""#]),
    Kind(
      schema: #""type":"string","format":"date-time","x-date-pattern":"rfc2822""#,
      texts: [#""Thu, 29 Feb 2024 12:30:00 EST""#, #""1 Jan 70 00:00 GMT""#]),
    Kind(schema: #""type":"string","format":"date""#, texts: [#""2024-02-29""#]),
    Kind(
      schema: #""type":"string","format":"date","x-date-pattern":"d MMMM yyyy""#,
      texts: [#""1 march 2024""#, #""29 February 2000""#]),
    Kind(
      schema: #""type":"string","format":"uuid""#,
      texts: [
        #""1975db51-5a45-4fd6-ac54-46ca6042c710""#, #""FFFFFFFF-5A45-4FD6-AC54-46CA6042C710""#,
      ]
    ),
    Kind(
      schema: #""type":["number","boolean"],"x-lenient":true"#,
      texts: [#""1.5""#, "2", #""true""#, "false"]),
    Kind(
      schema: #""type":["integer","null"],"x-empty-as-null":true,"x-lenient":true"#,
      texts: [#""""#, #""3""#, "4"]),
    Kind(schema: #""type":"string","x-allow-nul":true"#, texts: [#""a\u0000b""#]),
  ]

  private static let relations = [
    Kind(
      schema: #""type":["string","null"],"x-relation":{"table":"city","unique":"name"}"#,
      texts: [#""Köln""#, #""Bonn""#, "null"]),
    Kind(
      schema: #"""
        "type":["object","null"],"x-relation":{"table":"brand","unique":["name","at"]},
        "required":["name","at"],
        "properties":{"name":{"type":"string"},"at":{"type":"integer","x-source":"/p/at"}}
        """#,
      texts: [
        #"{"name":"A","p":{"at":1}}"#, #"{"p":{"at":2},"name":"A"}"#, "null",
        #"{"x":[1],"name":"B","p":{"y":2.50,"at":1}}"#,
      ]),
    Kind(
      schema: #"""
        "type":["array","null"],"x-relation":{"table":"tag","unique":"tag","join":"tagging"},
        "items":{"type":"string"}
        """#,
      texts: [#"["b","a"]"#, #"["c"]"#, "[]", "null"]),
    Kind(
      schema: #"""
        "type":"array","x-relation":{"table":"visit","unique":["day","n"]},
        "items":{"type":"object","required":["day","n"],"properties":{
          "day":{"type":"string","format":"date"},"n":{"type":"integer"},
          "notes":{"type":"array","x-relation":{"table":"note","unique":"text"},
            "items":{"type":"string"}}}}
        """#,
      texts: [
        #"[{"day":"2024-01-02","n":1,"notes":["y","x"]},{"day":"2024-01-01","n":2}]"#, "[]",
        #"[{"n":1,"other":{"b":1.0},"day":"2024-01-02"}]"#,
      ]),
  ]

  init(using generator: inout SplitMix64) {
    var properties = [#""id":{"type":"integer"}"#]
    var values: [Value] = []
    var required = ["\"id\""]
    // Each pointer is used once; together they make objects in objects, and arrays.
    var pointers = [
      ["a"], ["b/c"], ["p", "a"], ["p", "q", "~x"], ["g", "0"], ["g", "1"], ["g", "3"], ["h", "0"],
      ["w"], ["w", "x"], ["w", "l", "0"], ["é"], ["p", "r"],
    ].shuffled(using: &generator)
    func add(_ kind: Kind, _ name: String, at pointer: [String]) {
      let isRequired = Bool.random(using: &generator) && !kind.schema.contains("\"default\"")
      let source = JSONPointerText.text(of: pointer)
      properties.append(#""\#(name)":{\#(kind.schema),"x-source":"\#(source)"}"#)
      if isRequired { required.append("\"\(name)\"") }
      values.append(Value(pointer: pointer, texts: kind.texts, isRequired: isRequired))
    }
    for number in 0..<Int.random(in: 1...9, using: &generator) {
      let pointer = pointers.removeLast()
      // A default in an array would need a value for the elements before it.
      let isElement = ["g", "h"].contains(pointer[0])
      let kinds = Self.kinds.filter {
        pointer == ["w"]
          ? $0.schema.contains("object") : !isElement || !$0.schema.contains("default")
      }
      add(kinds.randomElement(using: &generator)!, "v\(number)", at: pointer)
    }
    for (number, kind) in Self.relations.enumerated() where Bool.random(using: &generator) {
      add(kind, "r\(number)", at: ["r\(number)"])
    }
    hasNamedRecords = Int.random(in: 0..<4, using: &generator) == 0
    if hasNamedRecords { properties.append(#""name":{"type":"string","x-source":"0#"}"#) }
    let unmapped = Bool.random(using: &generator) ? #""x-unmapped-column":"rest","# : ""
    document =
      #"{"x-table":"t","x-key":"id",\#(unmapped)"required":[\#(required.joined(separator: ","))],"#
      + #""properties":{\#(properties.joined(separator: ","))}}"#
    self.values = values
  }

  /// A record, without the name of the member that holds it.
  func record(_ number: Int, using generator: inout SplitMix64) -> String {
    var root = JSONTree.object([("id", .text("\(number)"))])
    for value in values where value.isRequired || Bool.random(using: &generator) {
      root.set(.text(value.texts.randomElement(using: &generator)!), at: value.pointer[...])
    }
    for pointer in [["more"], ["p", "more"], ["g", "2"], ["w", "more"], ["é2", "x"]]
    where Bool.random(using: &generator) {
      let texts = ["1.50", #""t""#, "null", #"{"b":[1,2.0],"a":"\u00e9"}"#, "[]"]
      root.set(.text(texts.randomElement(using: &generator)!), at: pointer[...])
    }
    return root.text(using: &generator)
  }
}

/// A JSON value under construction.
private enum JSONTree {
  case text(String)
  case object([(String, JSONTree)])

  /// Sets a value, unless something that is no object is on the way or at the place.
  mutating func set(_ value: JSONTree, at pointer: ArraySlice<String>) {
    guard let step = pointer.first, case .object(var members) = self else { return }
    if let index = members.firstIndex(where: { $0.0 == step }) {
      members[index].1.set(value, at: pointer.dropFirst())
    } else {
      var inner = pointer.count > 1 ? JSONTree.object([]) : value
      inner.set(value, at: pointer.dropFirst())
      members.append((step, inner))
    }
    self = .object(members)
  }

  /// The text, with members in any order; names that are numbers make an array.
  func text(using generator: inout SplitMix64) -> String {
    switch self {
    case .text(let text): return text
    case .object(let members):
      let numbers = members.compactMap { Int($0.0) }
      guard let last = numbers.max(), numbers.count == members.count else {
        let texts = members.shuffled(using: &generator).map { name, value in
          "\"\(name)\": \(value.text(using: &generator))"
        }
        return "{\(texts.joined(separator: ", "))}"
      }
      let texts = (0...last).map { number in
        members.first { $0.0 == "\(number)" }?.1.text(using: &generator) ?? "null"
      }
      return "[\(texts.joined(separator: ","))]"
    }
  }
}

private enum JSONPointerText {
  static func text(of steps: [String]) -> String {
    steps.map {
      "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
    }.joined()
  }
}

import JSONStreaming
import POITestSupport

/// Random JSON inputs of every shape, valid or damaged.
struct RandomInput {
  var bytes: [UInt8]
  var shape: ElementShape

  /// The input of a seed.
  init(seed: UInt64, damageCount: Int) {
    var generator = SplitMix64(seed: seed)
    let style = Int.random(in: 0..<3, using: &generator)
    let count = Int.random(in: 0..<9, using: &generator)
    var elements: [String] = []
    for index in 0..<count {
      elements.append(Self.element(index, style: style, using: &generator))
    }
    var text: String
    switch Int.random(in: 0..<10, using: &generator) {
    case 0:
      shape = .sequence
      text = elements.joined(separator: "\n") + "\n"
    case 1:
      shape = .sequence
      text = elements.joined(separator: style == 0 ? "" : "\n")
    case 2:
      shape = .container(JSONPointer(tokens: []))
      text = "[" + elements.joined(separator: style == 0 ? "," : ",\n") + "]"
    case 3:
      shape = .container(JSONPointer(tokens: ["data", "rows"]))
      text =
        #"{"head":{"rows":[0]},"data":{"n":"é","rows":["# + elements.joined(separator: ", ")
        + "]},\"tail\":[{}]}\n"
    case 4:
      shape = .container(JSONPointer(tokens: ["1", "o"]))
      let members = elements.enumerated().map { "\"m\($0.offset)\": \($0.element)" }
      text = #"[{"o":{"# + "\"z\":1}},{\"o\":{" + members.joined(separator: ",\n  ") + "}}]"
    case 5:
      shape = .sequence
      text = elements.map { "\u{1E}\($0)\n" }.joined()
    case 6:
      shape = .container(JSONPointer(tokens: ["g", "*", "rows"], wildcards: [1]))
      let groups = elements.map { "{\"n\":1,\"rows\":[\($0),\($0)],\"z\":{}}" }
      text = #"{"g":["# + groups.joined(separator: ",{},\n") + #"],"rows":[0]}"#
    case 7:
      shape = .container(JSONPointer(tokens: ["data"]))
      let rows = elements.map { "[\($0), \"\\u0031\",\($0)]" }
      text =
        #"{"meta":{"view":{"columns":[{"name":"a"},{"name":"b"},{"name":"\u0063"}]}},"data":["#
        + rows.joined(separator: ",\n") + "]}"
    case 8:
      shape = .delimited(by: UInt8(ascii: ","))
      let end = ["\n", "\r\n", "\r"][style]
      let rows = elements.enumerated().map { "\($0.offset),\(Self.quoted($0.element)),x" }
      text = (["a,b,\"c \"\"d\"\"\""] + rows).joined(separator: end) + end
    case 9:
      shape = .delimited(by: UInt8(ascii: ";"))
      let rows = elements.enumerated().map { "\($0.offset);;\($0.element);\"\"" }
      text = (["a;b;c;"] + rows).joined(separator: "\n")
    default:
      shape = .container(JSONPointer(tokens: ["rows"]))
      text = elements.map { "{\"rows\":[\($0)]}" }.joined(separator: " ")
    }
    if Bool.random(using: &generator) { text = "\u{FEFF}" + text }
    bytes = Array(text.utf8)
    for _ in 0..<damageCount { damage(using: &generator) }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\"", with: "\"\"") + "\""
  }

  private static func element(
    _ index: Int, style: Int, using generator: inout SplitMix64
  ) -> String {
    guard Int.random(in: 0..<6, using: &generator) > 0 else {
      return ["1", "-2.5e+7", "true", "null", "\"a \\u00e9\\n\"", "[]", "[[1,2],{}]"]
        .randomElement(using: &generator) ?? "0"
    }
    let texts = ["", "plain", "},{", "Zürich 東京 🗺", #"q\"\\"#, #"\ud83d\ude00"#, #"\u0000"#]
    let name = texts.randomElement(using: &generator) ?? ""
    let separator = style == 0 ? "," : style == 1 ? ", " : ",\n  "
    let members = [
      "\"id\":\(index)", "\"name\":\"\(name)\"", "\"in\":{\"a\":[1,{\"b\":null}]}",
      "\"x\":\(Int.random(in: -99...99, using: &generator)).25",
    ]
    let open = style == 2 ? "{\n  " : "{"
    return open + members.joined(separator: separator) + (style == 2 ? "\n}" : "}")
  }

  private mutating func damage(using generator: inout SplitMix64) {
    guard !bytes.isEmpty else { return }
    let index = Int.random(in: 0..<bytes.count, using: &generator)
    let marks = Array("{}[],:\"\\\n u0d8x1\u{0C}".utf8) + [0x80, 0xC3, 0xED, 0xFF, 0x00]
    let mark = marks.randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes.remove(at: index)
    case 1: bytes.insert(mark, at: index)
    case 2: bytes[index] = mark
    case 3:
      let texts = [
        "//", "/*", " */", " // {\n", "\n\u{0C}\n", "/* [ */", "\n// x\n", "\n\u{FEFF}", ",\n",
        "NaN",
      ]
      bytes.insert(contentsOf: (texts.randomElement(using: &generator) ?? "").utf8, at: index)
    case 4: bytes.removeSubrange(index..<min(bytes.count, index + 9))
    default: bytes.removeSubrange(index...)
    }
  }
}

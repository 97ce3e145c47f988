internal import JSONStreaming
internal import POIRecords

struct InferredColumn {
  /// The steps from the record to the value; nil for the name of the member that holds it.
  let pointer: [String]?

  /// The parts of the attribute's name, outermost first, before names are made unique.
  let nameSteps: [String]

  var name = ""

  let statistics: PathStatistics

  /// The names of the types, without `null`.
  var types: [String] = []

  var allowsNull: Bool

  /// The keywords of the attribute, without type, source and comment.
  var schema: [JSONValue.Member] = []

  var remarks: [String]

  var isRequired: Bool

  /// The range of instants, in microseconds since 1970; nil if the values are not instants.
  var instants: ClosedBounds<Int64>?

  var canBeKey = false

  /// The type that texts in rows have unless they are the key, and whether they are numbers with a decimal comma.
  var numeral: (type: String, hasComma: Bool)?

  var property: JSONValue.Member {
    var members: [JSONValue.Member] = []
    add("type", ModelDraft.types(types + (allowsNull ? ["null"] : [])))
    members += schema
    if let pointer {
      if pointer != [name] { add("x-source", .string(JSONPointer(tokens: pointer).description)) }
    } else {
      add("x-source", .string("0#"))
    }
    if !remarks.isEmpty { add("$comment", .string(remarks.joined(separator: "; "))) }
    func add(_ name: String, _ value: JSONValue) {
      members.append(JSONValue.Member(name: name, value: value))
    }
    return JSONValue.Member(name: name, value: .object(members))
  }
}

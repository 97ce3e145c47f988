import Testing

@testable import POIRecords

@Suite struct ModelRefusalTests {
  /// A document, the pointer of the error, and a part of its message.
  private static let refused: [(String, String, String)] = [
    (#"["#, "", "line 1"),
    (#"[]"#, "", "a model is a JSON object"),
    (#"{"x-table":"t","x-table":"u","properties":{"a":{}}}"#, "", "twice"),
    (#"{"properties":{"a":{}}}"#, "", "x-table"),
    (#"{"x-table":"t"}"#, "", "needs \"properties\""),
    (#"{"x-table":"t","properties":{}}"#, "", "needs \"properties\""),
    (#"{"x-table":"poikit_run","properties":{"a":{}}}"#, "/x-table", "reserved"),
    (#"{"x-table":"sqlite_x","properties":{"a":{}}}"#, "/x-table", "reserved"),
    (#"{"x-table":"t","properties":{"poikit_id":{}}}"#, "/properties/poikit_id", "reserved"),
    (#"{"x-table":"t","properties":{"a":{}},"allOf":[]}"#, "/allOf", "cannot be enforced"),
    (#"{"x-table":"t","properties":{"a":{}},"table":"t"}"#, "/table", "did you mean \"x-table\""),
    (
      #"{"x-table":"t","properties":{"a":{"colour":1}}}"#, "/properties/a/colour", "unknown keyword"
    ),
    (#"{"x-table":"t","properties":{"a":{"type":"text"}}}"#, "/properties/a/type", "is not a type"),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","format":"hostname"}}}"#,
      "/properties/a/format", "cannot be enforced"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"integer","format":"uuid"}}}"#,
      "/properties/a/format", "needs the type string"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","pattern":"("}}}"#,
      "/properties/a/pattern", "regular expression"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","pattern":"(a)\\1"}}}"#,
      "/properties/a/pattern", "backreferences"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","pattern":"^(?!no)"}}}"#,
      "/properties/a/pattern", "write what may occur there, not what must not"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"integer","x-allow-nul":true}}}"#,
      "/properties/a/x-allow-nul", "needs the type string"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-unit":"seconds"}}}"#,
      "/properties/a/x-unit", "integer or number"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"integer","x-unit":"days"}}}"#,
      "/properties/a/x-unit", "not one of seconds"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","format":"date-time","x-zone":"Europe/Oslo"}}}"#,
      "/properties/a/x-zone", "offset"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-zone":"UTC"}}}"#,
      "/properties/a/x-zone", "date-time"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-lenient":true}}}"#,
      "/properties/a/x-lenient", "numbers and booleans"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"x-source":"a/b"}}}"#, "/properties/a/x-source",
      "JSON pointer"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"x-source":""}}}"#, "/properties/a/x-source",
      "whole record"
    ),
    (
      #"{"x-table":"t","properties":{"a":{},"b":{"x-source":"/a"}}}"#, "/properties/b",
      "same member"
    ),
    (
      #"{"x-table":"t","properties":{"a":{},"b":{"x-column":"A"}}}"#, "/properties/b",
      "have the column"
    ),
    (#"{"x-table":"t","required":["b"],"properties":{"a":{}}}"#, "/required", "is not in"),
    (
      #"{"x-table":"t","required":"a","properties":{"a":{}}}"#, "/required", "not an array of names"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"u","unique":"n"},"required":"n","properties":{"n":{"type":"string"}}}}}"#,
      "/properties/a/required", "not an array of names"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"array","x-relation":{"table":"u","unique":"n"},"items":{"type":"object","required":"n","properties":{"n":{"type":"string"}}}}}}"#,
      "/properties/a/items/required", "not an array of names"
    ),
    (#"{"x-table":"t","x-key":"b","properties":{"a":{}}}"#, "/x-key", "not an attribute"),
    (#"{"x-table":"t","x-key":["a","a"],"properties":{"a":{}}}"#, "/x-key", "twice"),
    (
      #"{"x-table":"t","x-key":"a","properties":{"a":{"type":"object"}}}"#, "/x-key",
      "cannot be a key"
    ),
    (
      #"{"x-table":"t","x-timestamp":"a","properties":{"a":{"type":"string"}}}"#, "/x-timestamp",
      "not an instant"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":"b","properties":{"a":{}}}"#, "/x-tombstone",
      "not an attribute"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":"a","properties":{"a":{"type":"string"}}}"#,
      "/x-tombstone", "neither a boolean nor an instant"
    ),
    (
      #"{"x-table":"t","x-tombstone":"a","properties":{"a":{"type":"boolean"}}}"#, "/x-tombstone",
      "name the key"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":{},"properties":{"a":{}}}"#, "/x-tombstone",
      "no attribute that marks a removal"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":{"attribute":"b","remove":1},"properties":{"a":{},"b":{"type":"boolean"}}}"#,
      "/x-tombstone/remove", "unknown keyword"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":{"attribute":"b","removal":"hide"},"properties":{"a":{},"b":{"type":"boolean"}}}"#,
      "/x-tombstone/removal", "is not a removal; the values are mark, delete"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":{"null":true,"removal":"delete"},"properties":{"a":{}}}"#,
      "/x-tombstone/null", "0#"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":{"null":true},"properties":{"a":{"x-source":"0#"}}}"#,
      "/x-tombstone/null", "name a boolean"
    ),
    (
      #"{"x-table":"t","x-key":"a","x-tombstone":{"null":true,"attribute":"b"},"required":["c"],"properties":{"a":{"x-source":"0#"},"b":{"type":"boolean"},"c":{}}}"#,
      "/x-tombstone/null", "lacks \"c\", which is required"
    ),
    (
      #"{"x-table":"Pragma_table_info","properties":{"a":{}}}"#, "/x-table",
      "is a table-valued function of SQLite"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-relation":{"table":"json_each","unique":"n"}}}}"#,
      "/properties/a/x-relation/table", "is a table-valued function of SQLite"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"t","unique":"n"},"required":["n"],"properties":{"n":{"type":"string"}}}}}"#,
      "/properties/a", "is also used by the records; name another one"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-relation":{"table":"u","unique":"n"}},"b":{"type":"integer","x-relation":{"table":"u","unique":"n"}}}}"#,
      "/properties/b", "is also used by /properties/a: write its name alike"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-relation":{"table":"u","unique":"n"}},"b":{"type":"string","x-relation":{"table":"U","unique":"n"}}}}"#,
      "/properties/b", "write its name alike"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-relation":{"table":"u","unique":"n"}},"b":{"type":"array","x-relation":{"table":"u","unique":"n"},"items":{"type":"string"}}}}"#,
      "/properties/b", "is also used by /properties/a; name another one"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"array","x-relation":{"table":"u","unique":"n","join":"v"},"items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"}}}},"b":{"type":"string","x-relation":{"table":"v","unique":"n"}}}}"#,
      "/properties/a", "is also used by /properties/b; name another one"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"u","unique":"n"},"properties":{"n":{"type":"string"}}}}}"#,
      "/properties/a/x-relation", "required and not null"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"u","unique":"m"},"required":["n"],"properties":{"n":{"type":"string"}}}}}"#,
      "/properties/a/x-relation", "must be exactly"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-relation":{"table":"u","unique":["n","m"]}}}}"#,
      "/properties/a/x-relation/unique", "name one attribute"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-relation":{"table":"u"}}}}"#,
      "/properties/a/x-relation/unique", "name one attribute"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","default":"b","x-relation":{"table":"u","unique":"n"}}}}"#,
      "/properties/a/default", "no default"
    ),
    (
      #"{"x-table":"t","x-timestamp":"a","properties":{"a":{"type":"string","format":"date-time","x-relation":{"table":"u","unique":"n"}}}}"#,
      "/x-timestamp", "a relation, which cannot be a timestamp"
    ),
    (
      #"{"x-table":"t","x-key":"k","x-tombstone":"a","properties":{"k":{},"a":{"type":"boolean","x-relation":{"table":"u","unique":"n"}}}}"#,
      "/x-tombstone", "a relation, which cannot be a tombstone"
    ),
    (
      #"{"x-table":"t","x-coordinates":{"latitude":"a","longitude":"b"},"properties":{"b":{"type":"number"},"a":{"type":"number","x-relation":{"table":"u","unique":"n"}}}}"#,
      "/x-coordinates", "a relation, which cannot be a coordinate"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-empty-as-null":true}}}"#,
      "/properties/a/x-empty-as-null", "no null"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":["number","null"],"x-empty-as-null":true}}}"#,
      "/properties/a/x-empty-as-null", "no string"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":["string","integer"],"x-relation":{"table":"u","unique":"n"}}}}"#,
      "/properties/a", "identified by text"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"u","unique":"n"},"required":["n"],"properties":{"n":{"type":"string","x-relation":{"table":"v","unique":"m"}}}}}}"#,
      "/properties/a/properties/n", "cannot have a relation"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"u","unique":"n"},"enum":[{}],"required":["n"],"properties":{"n":{"type":"string"}}}}}"#,
      "/properties/a/enum", "unknown keyword"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"items":{"properties":{"b":{"not":{}}}}}}}"#,
      "/properties/a/items/properties/b/not", "unknown keyword \"not\""
    ),
    (
      #"{"x-table":"t","properties":{"a":{"items":{"x-source":"/b"}}}}"#,
      "/properties/a/items/x-source", "unknown keyword"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"items":3}}}"#, "/properties/a/items",
      "an object, true or false"
    ),
    (
      #"{"x-table":"t","properties":{"a":false}}"#, "/properties/a",
      "allows no value of the attribute"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"number","multipleOf":0}}}"#,
      "/properties/a/multipleOf", "greater than 0"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"minItems":-1}}}"#, "/properties/a/minItems",
      "not a count"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"required":"b"}}}"#, "/properties/a/required",
      "not an array of names"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"$ref":"https://example.org/a"}}}"#, "/properties/a/$ref",
      "points into this document"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"items":{"$ref":"#"}}}}"##, "/properties/a/items/$ref",
      "as a whole"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"$ref":"#/$defs/b"}}}"##, "/properties/a/$ref",
      "does not exist in the document"
    ),
    (
      ##"{"x-table":"t","required":["a"],"properties":{"a":{"items":{"$ref":"#/required/00"}}}}"##,
      "/properties/a/items/$ref", "does not exist in the document"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"$ref":"#/x-table"}}}"##, "/properties/a/$ref",
      "not a schema"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"$ref":"#/properties/a"}}}"##, "/properties/a/$ref",
      "leads back to itself"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"items":{"$ref":"#/$defs/b"}}},"$defs":{"b":{"$ref":"#/$defs/c"},"c":{"$ref":"#/$defs/b"}}}"##,
      "/$defs/b/$ref", "leads back to itself"
    ),
    (
      #"{"x-table":"t","properties":{"a":{}},"$defs":{"b":{"items":{"allOf":[]}}}}"#,
      "/$defs/b/items/allOf", "unknown keyword"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"$ref":"#/$defs/b","type":"string"}},"$defs":{"b":{"type":"integer"}}}"##,
      "/properties/a", "no type is allowed by both"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"$ref":"#/$defs/b","type":"string","format":"date"}},"$defs":{"b":{"format":"uri"}}}"##,
      "/$defs/b/format", "differs from the format"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"integer","default":"x"}}}"#,
      "/properties/a/default", "breaks the attribute's own rules"
    ),
    (
      #"{"x-table":"t","required":["a"],"properties":{"a":{"type":"integer","default":1}}}"#,
      "/properties/a/default", "never absent"
    ),
    (
      #"{"x-table":"t","dependentRequired":{"a":["b"]},"properties":{"a":{}}}"#,
      "/dependentRequired/a", "not an attribute"
    ),
    (
      #"{"x-table":"t","x-coordinates":{"latitude":"a"},"properties":{"a":{}}}"#,
      "/x-coordinates", "two attributes"
    ),
    (
      #"{"x-table":"t","x-coordinates":{"latitude":"a","longitude":"b"},"properties":{"a":{"type":"string"},"b":{"type":"number"}}}"#,
      "/x-coordinates", "not a coordinate"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"integer","x-not-blank":true}}}"#,
      "/properties/a/x-not-blank", "needs the type string"
    ),
    (
      #"{"$schema":"http://json-schema.org/draft-07/schema#","x-table":"t","properties":{"a":{}}}"#,
      "/$schema", "2020-12"
    ),
    ("null", "", "this is null"), ("true", "", "this is boolean"), (#""t""#, "", "this is string"),
    (#"{"x-table":"t","type":"array","properties":{"a":{}}}"#, "/type", "a record is an object"),
    (#"{"x-table":3,"properties":{"a":{}}}"#, "/x-table", "3 cannot name a table"),
    (#"{"x-table":"t","x-key":[1],"properties":{"a":{}}}"#, "/x-key", "1 is not the name"),
    (
      #"{"x-table":"t","x-timestamp":"b","properties":{"a":{}}}"#, "/x-timestamp",
      "\"b\" is not an attribute"
    ),
    (#"{"x-table":"t","properties":{"a":3}}"#, "/properties/a", "by an object, this is number"),
    (#"{"x-table":"t","properties":{"a":{"type":[]}}}"#, "/properties/a/type", "no type is named"),
    (
      #"{"x-table":"t","properties":{"a":{"type":"integer","x-lenient":1}}}"#,
      "/properties/a/x-lenient", "neither true nor false"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":"u"}}}"#,
      "/properties/a/x-relation", "a relation is an object"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":["object","string"],"x-relation":{"table":"u","unique":"n"}}}}"#,
      "/properties/a/x-relation", "needs the type object"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":["array","string"],"items":{},"x-relation":{"table":"u","unique":"n"}}}}"#,
      "/properties/a/type", "needs the type array"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"unique":"n"}}}}"#,
      "/properties/a/x-relation", "not named"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"u","unique":"n"},"required":["n"],"properties":{"n":{"type":"object"}}}}}"#,
      "/properties/a/properties/n", "a related row is identified by"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"array","items":{"type":"integer"},"x-relation":{"table":"u","unique":"v"}},"b":{"x-source":"/a/0"}}}"#,
      "/properties/b", "describe its elements in"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"properties":["b"]}}}"#, "/properties/a/properties",
      "object of schemas"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"dependentRequired":["b"]}}}"#,
      "/properties/a/dependentRequired", "object of arrays"
    ),
    (
      ##"{"x-table":"t","required":["a"],"properties":{"a":{"items":{"$ref":"#/required/0"}}}}"##,
      "/properties/a/items/$ref", "is not a schema"
    ),
    (
      ##"{"x-table":"t","properties":{"a":{"$ref":"#/$defs/%zz"}}}"##, "/properties/a/$ref",
      "cannot be followed"
    ),
    (#"{"x-table":"t","properties":{"a":{}},"$defs":[]}"#, "/$defs", "object of schemas"),
    (#"{"x-table":"t","properties":{"a":{"enum":1}}}"#, "/properties/a/enum", "in an array"),
    (
      #"{"x-table":"t","properties":{"a":{"minimum":"1"}}}"#, "/properties/a/minimum",
      "is not a number"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"maximum":1e400}}}"#, "/properties/a/maximum",
      "is not a number"
    ),
    (
      #"{"x-table":"t","properties":{"a":{"pattern":1}}}"#, "/properties/a/pattern",
      "is not a string"
    ),
    (#"{"x-table":"t","x-table":"t","properties":{}}"#, "", #"the member "x-table" occurs twice"#),
    (
      #"{"x-table":"t","properties":{"id":{},"id":{}}}"#, "/properties",
      #"the member "id" occurs twice"#
    ),
    (
      #"{"x-table":"t","properties":{"a/b":{"enum":[0,{"c":1,"c":1}]}}}"#,
      "/properties/a~1b/enum/1", #"the member "c" occurs twice"#
    ),
    (
      #"{"x-table":"t","x-key":"a","x-timestamp":"b","x-tombstone":"c","properties":{"a":{},"b":{"type":"string","format":"timestamp"},"c":{"type":"boolean"}}}"#,
      "/x-timestamp", "removals need a timestamp that is not kept as text"
    ),
    (
      #"{"x-table":"t","x-ties":"first","properties":{"a":{}}}"#, "/x-ties",
      "does not decide between equally new records"
    ),
    (
      #"{"x-table":"t","x-null-key":"merge","properties":{"a":{}}}"#, "/x-null-key", "say \"group\""
    ),
    (
      #"{"x-table":"t","properties":{"a":{"type":"string","x-digits":true}}}"#,
      "/properties/a/x-digits", "needs the type integer or number"
    ),
  ]

  @Test(arguments: refused)
  func `a keyword that cannot be enforced is refused with its place`(
    _ document: String, _ pointer: String, _ message: String
  ) {
    let error = #expect(throws: ModelError.self) { _ = try Model(parsing: document) }
    #expect(error?.pointer == pointer)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  /// A relation to many, the pointer of the error inside it, and a part of its message.
  @Test(arguments: [
    (
      #"{"x-relation":{"table":"u","unique":"v"}}"#, "/items", "describes its elements in \"items\""
    ),
    (
      #"{"items":{"type":"integer"},"x-relation":{"table":"u"}}"#, "/x-relation/unique", "each once"
    ),
    (#"{"items":{"type":"integer"},"x-relation":{"unique":"v"}}"#, "/x-relation", "not named"),
    (
      #"{"items":{"type":["integer","null"]},"x-relation":{"table":"u","unique":"v"}}"#, "/items",
      "must be required, not null"
    ),
    (
      #"{"items":{"type":"integer"},"x-relation":{"table":"u","unique":["v","w"]}}"#, "/items",
      "is one value"
    ),
    (
      #"{"items":{"type":"object","properties":{"v":{"type":"integer"}}},"x-relation":{"table":"u","unique":"v"}}"#,
      "/items", "must be required, not null"
    ),
    (
      #"{"items":{"type":"object","properties":{"v":{"type":"integer"}}},"x-relation":{"table":"u","unique":"w"}}"#,
      "/items", "not an attribute of an element"
    ),
    (
      #"{"items":{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"w":{}}},"x-relation":{"table":"u","unique":"v","join":"j"}}"#,
      "/items", "can only have the attributes"
    ),
    (
      #"{"items":{"type":"object","required":["t"],"properties":{"t":{"type":"integer"}}},"x-relation":{"table":"u","unique":"t"}}"#,
      "/items", "belongs to an attribute and to the parent"
    ),
    (
      #"{"items":{"type":"integer"},"x-relation":{"table":"t","unique":"v","join":"j"}}"#,
      "/x-relation", "two columns \"t\""
    ),
    (
      #"{"items":{"type":"integer"},"x-column":"c","x-relation":{"table":"u","unique":"v"}}"#,
      "/x-column", "unknown keyword"
    ),
    (
      #"{"items":{"type":"integer"},"x-relation":{"table":"poikit_u","unique":"v"}}"#,
      "/x-relation/table", "reserved"
    ),
    (#"{"items":{"type":"integer"},"x-relation":"u"}"#, "/x-relation", "is an object"),
    (
      #"{"items":{"type":"integer"},"x-source":"0#","x-relation":{"table":"u","unique":"v"}}"#,
      "/x-source", "an array cannot have the source \"0#\""
    ),
    (
      #"{"items":{"type":"integer","x-source":"/v"},"x-relation":{"table":"u","unique":"v"}}"#,
      "/items/x-source", "element itself is the value"
    ),
    (
      #"{"items":{"required":["v"],"properties":{"v":{"type":"integer"}}},"x-relation":{"table":"u","unique":"v"}}"#,
      "/items/type", "an element is an object"
    ),
    (
      #"{"items":{"type":"object","required":["v"],"properties":{"v":{"type":"string","x-source":"0#"}}},"x-relation":{"table":"u","unique":"v"}}"#,
      "/items/properties/v/x-source", "is not available in"
    ),
    (
      #"{"items":{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"w":{"type":"integer","x-merge":"maximum"}}},"x-relation":{"table":"u","unique":"v"}}"#,
      "/items/properties/w/x-merge", "is not merged"
    ),
  ])
  func `a relation to many that cannot be kept is refused`(
    _ schema: String, _ place: String, _ message: String
  ) throws {
    let attribute = #"{"type":"array",\#(schema.dropFirst())"#
    let error = #expect(throws: ModelError.self) {
      try Model(parsing: #"{"x-table":"t","properties":{"a":\#(attribute)}}"#)
    }
    #expect(error?.pointer == "/properties/a" + place)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `the name of a member is not available in a related row`() {
    let error = #expect(throws: ModelError.self) {
      try Model(
        parsing:
          #"{"x-table":"t","properties":{"a":{"type":"object","x-relation":{"table":"u","unique":"n"},"required":["n"],"properties":{"n":{"type":"string","x-source":"0#"}}}}}"#
      )
    }
    #expect(error?.pointer == "/properties/a/properties/n/x-source")
    #expect(error?.message.contains("is not available in") == true)
  }

  @Test func `unused definitions cannot refer to themselves either`() {
    let error = #expect(throws: ModelError.self) {
      _ = try Model(
        parsing: ##"{"x-table":"t","properties":{"a":{}},"$defs":{"b":{"$ref":"#/$defs/b"}}}"##)
    }
    #expect(error?.pointer == "/$defs/b/$ref")
  }

  @Test func `relations to many are nested up to a limit`() throws {
    func document(depth: Int) -> String {
      let inner = depth == 0 ? "" : #","a":\#(relation(depth: depth))"#
      return #"{"x-table":"t","properties":{"n":{"type":"integer"}\#(inner)}}"#
    }
    func relation(depth: Int) -> String {
      let inner = depth == 1 ? "" : #","a":\#(relation(depth: depth - 1))"#
      return
        #"{"type":"array","x-relation":{"table":"u\#(depth)","unique":"n","parent":"p"},"items":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}\#(inner)}}}"#
    }
    _ = try Model(parsing: document(depth: Model.relationDepthLimit))
    #expect(throws: ModelError.self) {
      try Model(parsing: document(depth: Model.relationDepthLimit + 1))
    }
  }

  /// A repeated part, its limit, and a part of the message beyond the limit.
  @Test(arguments: [
    (#"{"type":"integer"}"#, 1000, "at most 1,000 attributes"),
    (
      #"{"type":"object","x-relation":{"table":"u#","unique":"n"},"required":["n"],"properties":{"n":{"type":"string"}}}"#,
      60, "at most 60 tables"
    ),
  ])
  func `the numbers of attributes and tables are limited`(
    _ schema: String, _ limit: Int, _ message: String
  ) throws {
    func document(_ count: Int) -> String {
      let properties = (0..<count).map { number in
        #""a\#(number)":"# + schema.split(separator: "#").joined(separator: "\(number)")
      }
      return #"{"x-table":"t","properties":{\#(properties.joined(separator: ","))}}"#
    }
    _ = try Model(parsing: document(limit))
    let error = #expect(throws: ModelError.self) { try Model(parsing: document(limit + 1)) }
    #expect(error?.pointer == "/properties")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["default", "const"])
  func `a constant can be nested as deeply as a record`(_ keyword: String) throws {
    func document(depth: Int) -> String {
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return #"{"x-table":"t","properties":{"a":{"\#(keyword)":\#(value)}}}"#
    }
    _ = try Model(parsing: document(depth: 120))
    let error = #expect(throws: ModelError.self) { try Model(parsing: document(depth: 200)) }
    #expect(error?.message.contains("deeper than 128 levels") == true)
  }
}

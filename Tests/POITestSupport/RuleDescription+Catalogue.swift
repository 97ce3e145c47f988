extension RuleDescription {
  /// Every rule for a decoded record, in the order of the reference.
  ///
  /// The rules for the text before it is a record (`syntax`, `utf-8`, …) are described with the
  /// reader.
  public static let catalogue: [RuleDescription] = [
    RuleDescription(
      "required", "the attribute is present; it may be null if its type allows that",
      attributes: #"{"name":{"type":["string","null"]}}"#, required: ["name"],
      accepted: [#"{"name":"Dom"}"#, #"{"name":null}"#],
      rejected: [#"{}"#, #"{"title":"Dom"}"#]),
    RuleDescription(
      "type", "the value has one of the types; 2.0 is an integer",
      attributes: #"{"floors":{"type":"integer"}}"#,
      accepted: [#"{"floors":2}"#, #"{"floors":2.0}"#, #"{"floors":2e3}"#, #"{}"#],
      rejected: [#"{"floors":2.5}"#, #"{"floors":"2"}"#, #"{"floors":null}"#, #"{"floors":[2]}"#]),
    RuleDescription(
      "type", "with `x-lenient`, a number or boolean may be written as a string",
      attributes:
        #"{"id":{"type":"integer","x-lenient":true},"open":{"type":"boolean","x-lenient":true}}"#,
      accepted: [#"{"id":"2351","open":"true"}"#, #"{"id":2351,"open":false}"#],
      rejected: [#"{"id":"2351a"}"#, #"{"id":" 2351"}"#, #"{"id":""}"#, #"{"open":"yes"}"#]),
    RuleDescription(
      "type",
      "with `x-decimal-comma`, a number may be written as a string with a comma before its decimals",
      attributes: #"{"lat":{"type":"number","x-decimal-comma":true}}"#,
      accepted: [#"{"lat":"52,09"}"#, #"{"lat":52.09}"#, #"{"lat":"-5"}"#],
      rejected: [#"{"lat":"52.09"}"#, #"{"lat":"1.000,5"}"#, #"{"lat":","}"#]),
    RuleDescription(
      "integer-range", "an integer fits 64 bits",
      attributes: #"{"id":{"type":"integer"}}"#,
      accepted: [#"{"id":9223372036854775807}"#, #"{"id":-9223372036854775808}"#],
      rejected: [#"{"id":9223372036854775808}"#, #"{"id":1e30}"#]),
    RuleDescription(
      "number-range", "a number is a double: decimals are rounded, integers must not lose digits",
      attributes: #"{"height":{"type":"number"}}"#,
      accepted: [#"{"height":0.1}"#, #"{"height":9007199254740992}"#, #"{"height":1e300}"#],
      rejected: [#"{"height":9007199254740993}"#, #"{"height":1e400}"#]),
    RuleDescription(
      "minimum", "the number is not less than the bound",
      attributes: #"{"latitude":{"type":"number","minimum":-90}}"#,
      accepted: [#"{"latitude":-90}"#, #"{"latitude":0.5}"#],
      rejected: [#"{"latitude":-90.000001}"#]),
    RuleDescription(
      "maximum", "the number is not greater than the bound",
      attributes: #"{"id":{"type":"integer","maximum":9007199254740993}}"#,
      accepted: [#"{"id":9007199254740993}"#],
      rejected: [#"{"id":9007199254740994}"#]),
    RuleDescription(
      "exclusiveMinimum", "the number is greater than the bound",
      attributes: #"{"area":{"type":"number","exclusiveMinimum":0}}"#,
      accepted: [#"{"area":0.001}"#], rejected: [#"{"area":0}"#, #"{"area":-1}"#]),
    RuleDescription(
      "exclusiveMaximum", "the number is less than the bound",
      attributes: #"{"share":{"type":"number","exclusiveMaximum":1}}"#,
      accepted: [#"{"share":0.999}"#], rejected: [#"{"share":1}"#, #"{"share":1.0}"#]),
    RuleDescription(
      "multipleOf", "the number is a multiple, computed in decimals",
      attributes: #"{"price":{"type":"number","multipleOf":0.01}}"#,
      accepted: [#"{"price":19.99}"#, #"{"price":4}"#], rejected: [#"{"price":19.999}"#]),
    RuleDescription(
      "minLength", "the text has at least this many Unicode scalar values",
      attributes: #"{"name":{"type":"string","minLength":2}}"#,
      accepted: [#"{"name":"éß"}"#, #"{"name":"\u00e9\u00df"}"#],
      rejected: [#"{"name":""}"#, #"{"name":"é"}"#, #"{"name":"😀"}"#]),
    RuleDescription(
      "maxLength", "the text has at most this many Unicode scalar values",
      attributes: #"{"code":{"type":"string","maxLength":2}}"#,
      accepted: [#"{"code":"NL"}"#, #"{"code":"😀😀"}"#, #"{"code":""}"#],
      rejected: [#"{"code":"NLD"}"#]),
    RuleDescription(
      "pattern", "the regular expression matches somewhere in the text",
      attributes: #"{"postcode":{"type":"string","pattern":"^[0-9]{4} ?[A-Z]{2}$"}}"#,
      accepted: [#"{"postcode":"1012 AB"}"#, #"{"postcode":"1012AB"}"#],
      rejected: [#"{"postcode":"1012 ab"}"#, #"{"postcode":"11012 AB"}"#]),
    RuleDescription(
      "enum", "the value is one of these",
      attributes:
        #"{"status":{"type":["string","integer","null"],"enum":["open","closed",0,null]}}"#,
      accepted: [#"{"status":"open"}"#, #"{"status":0.0}"#, #"{"status":null}"#],
      rejected: [#"{"status":"Open"}"#, #"{"status":1}"#]),
    RuleDescription(
      "enum", "in a relation, the value is one of the allowed rows",
      attributes:
        #"{"category":{"type":"object","x-relation":{"table":"category","unique":"name"},"required":["name"],"properties":{"name":{"type":"string","enum":["museum","park"]}}}}"#,
      accepted: [#"{"category":{"name":"park"}}"#], rejected: [#"{"category":{"name":"pub"}}"#]),
    RuleDescription(
      "const", "the value is this one",
      attributes: #"{"type":{"type":"string","const":"Feature"}}"#,
      accepted: [#"{"type":"Feature"}"#], rejected: [#"{"type":"feature"}"#]),
    RuleDescription(
      "const",
      "objects are equal whatever the order of members, and however numbers are written",
      attributes: #"{"crs":{"const":{"type":"name","code":[4326]}}}"#,
      accepted: [#"{"crs":{"code":[4326.0],"type":"name"}}"#],
      rejected: [#"{"crs":{"type":"name","code":[4258]}}"#, #"{"crs":{"type":"name"}}"#]),
    RuleDescription(
      "format", "with `uuid`, the text is a UUID; it is kept in upper case",
      attributes: #"{"identifier":{"type":"string","format":"uuid"}}"#,
      accepted: [#"{"identifier":"1975db51-5a45-4fd6-ac54-46ca6042c710"}"#],
      rejected: [
        #"{"identifier":"1975db51"}"#, #"{"identifier":"1975db515a454fd6ac5446ca6042c710"}"#,
        #"{"identifier":"1975db51-5a45-4fd6-ac54-46ca6042c71g"}"#,
      ]),
    RuleDescription(
      "format", "with `date-time`, the text is a date and time with a zone (RFC 3339)",
      attributes: #"{"updatedAt":{"type":"string","format":"date-time"}}"#,
      accepted: [
        #"{"updatedAt":"2024-02-29T12:30:00Z"}"#, #"{"updatedAt":"2024-02-29T12:30:00.125+02:00"}"#,
      ],
      rejected: [
        #"{"updatedAt":"2023-02-29T12:30:00Z"}"#, #"{"updatedAt":"2024-02-29T12:30:00"}"#,
        #"{"updatedAt":"yesterday"}"#,
      ]),
    RuleDescription(
      "format", "with `date-time` and `x-zone`, the zone may be missing",
      attributes: #"{"updatedAt":{"type":"string","format":"date-time","x-zone":"+02:00"}}"#,
      accepted: [
        #"{"updatedAt":"2024-02-29T12:30:00"}"#, #"{"updatedAt":"2024-02-29T12:30:00Z"}"#,
      ],
      rejected: [#"{"updatedAt":"2024-02-29"}"#]),
    RuleDescription(
      "format", "with `date`, the text is a day of the calendar",
      attributes: #"{"opened":{"type":"string","format":"date"}}"#,
      accepted: [#"{"opened":"2024-02-29"}"#],
      rejected: [#"{"opened":"2023-02-29"}"#, #"{"opened":"29.02.2024"}"#]),
    RuleDescription(
      "format", "with `x-date-pattern`, a `date` or `date-time` has another form",
      attributes:
        #"{"opened":{"type":"string","format":"date","x-date-pattern":"d.M.yyyy"},"seen":{"type":"string","format":"date-time","x-date-pattern":"iso8601"}}"#,
      accepted: [#"{"opened":"29.2.2024","seen":"2024-02-29T12:30:00-0700"}"#],
      rejected: [
        #"{"opened":"30.2.2024"}"#, #"{"opened":"2024-02-29"}"#,
        #"{"seen":"2024-02-29T12:30:00"}"#,
      ]),
    RuleDescription(
      "format", "with `time`, the text is a time of day with a zone (RFC 3339)",
      attributes: #"{"opens":{"type":"string","format":"time"}}"#,
      accepted: [#"{"opens":"09:30:00Z"}"#, #"{"opens":"09:30:00.5+02:00"}"#],
      rejected: [#"{"opens":"09:30"}"#, #"{"opens":"24:00:00Z"}"#]),
    RuleDescription(
      "format", "with `email`, the text is an address (RFC 5321)",
      attributes: #"{"contact":{"type":"string","format":"email"}}"#,
      accepted: [#"{"contact":"info@example.org"}"#],
      rejected: [#"{"contact":"info"}"#, #"{"contact":"a b@example.org"}"#]),
    RuleDescription(
      "format", "with `uri`, the text is a URI with a scheme (RFC 3986)",
      attributes: #"{"website":{"type":"string","format":"uri"}}"#,
      accepted: [#"{"website":"https://example.org/a?b#c"}"#],
      rejected: [#"{"website":"example.org"}"#, #"{"website":"https://example.org/ü"}"#]),
    RuleDescription(
      "format", "with `json-pointer`, the text is a JSON pointer (RFC 6901)",
      attributes: #"{"path":{"type":"string","format":"json-pointer"}}"#,
      accepted: [#"{"path":"/a/0"}"#, #"{"path":""}"#],
      rejected: [#"{"path":"a"}"#, #"{"path":"/~2"}"#]),
    RuleDescription(
      "format",
      "with `timestamp`, the text is a time of any form that is read; it is kept as it is",
      attributes: #"{"changed":{"type":"string","format":"timestamp"}}"#,
      accepted: [
        #"{"changed":"2017/11/02 17:27:00"}"#, #"{"changed":"2.11.2017"}"#,
        #"{"changed":"/Date(1509643620000)/"}"#,
      ],
      rejected: [#"{"changed":"02/11/2017"}"#, #"{"changed":"N/A"}"#]),
    RuleDescription(
      "not-blank", "with `x-not-blank`, the text has a visible character",
      attributes: #"{"name":{"type":"string","x-not-blank":true}}"#,
      accepted: [#"{"name":"Dom"}"#, #"{"name":" x"}"#],
      rejected: [#"{"name":""}"#, #"{"name":" \t\u00a0\u200b"}"#]),
    RuleDescription(
      "no-controls",
      "with `x-no-controls`, the text has no control characters except tab, line feed and "
        + "carriage return",
      attributes: #"{"name":{"type":"string","x-no-controls":true}}"#,
      accepted: [#"{"name":"a\tb\r\nc"}"#],
      rejected: [#"{"name":"a\u0007"}"#, #"{"name":"a\u007f"}"#, #"{"name":"a\u0085"}"#]),
    RuleDescription(
      "coordinates",
      "with `x-coordinates`, latitude and longitude are a position, not both 0 and not swapped",
      attributes: #"{"lat":{"type":"number"},"lon":{"type":"number"}}"#,
      root: #""x-coordinates":{"latitude":"lat","longitude":"lon"}"#,
      accepted: [#"{"lat":52.1,"lon":5.1}"#, #"{"lat":0,"lon":5.1}"#, #"{"lat":0}"#],
      rejected: [
        #"{"lat":0,"lon":0.0}"#, #"{"lat":151.2,"lon":-33.9}"#, #"{"lat":91,"lon":200}"#,
      ]),
    RuleDescription(
      "minItems", "the array has at least this many elements",
      attributes: #"{"tags":{"type":"array","minItems":1}}"#,
      accepted: [#"{"tags":["a"]}"#], rejected: [#"{"tags":[]}"#]),
    RuleDescription(
      "maxItems", "the array has at most this many elements",
      attributes: #"{"position":{"type":"array","maxItems":2}}"#,
      accepted: [#"{"position":[1,2]}"#], rejected: [#"{"position":[1,2,3]}"#]),
    RuleDescription(
      "uniqueItems", "no two elements of the array are equal",
      attributes: #"{"tags":{"type":"array","uniqueItems":true}}"#,
      accepted: [#"{"tags":["1",1,true]}"#],
      rejected: [#"{"tags":[1,1.0]}"#, #"{"tags":[{"a":1,"b":2},{"b":2,"a":1}]}"#]),
    RuleDescription(
      "type", "an object of MongoDB's Extended JSON has the type of the value that it represents",
      attributes: #"{"id":{"type":"string"},"floors":{"type":"integer"}}"#,
      accepted: [
        #"{"id":{"$oid":"65dfb0a0f1d2c3b4a5968778"},"floors":{"$numberLong":"2"}}"#
      ],
      rejected: [
        #"{"id":{"$binary":{"base64":"","subType":"00"}}}"#, #"{"floors":{"$numberDouble":"NaN"}}"#,
        #"{"floors":{"$oid":"2"}}"#,
      ]),
    RuleDescription(
      "type", "with `items`, every element satisfies that schema",
      attributes: #"{"tags":{"type":"array","items":{"type":"string"}}}"#,
      accepted: [#"{"tags":["a"]}"#, #"{"tags":[]}"#], rejected: [#"{"tags":["a",1]}"#]),
    RuleDescription(
      "items", "if `items` is false, the array has no elements",
      attributes: #"{"tags":{"type":"array","items":false}}"#,
      accepted: [#"{"tags":[]}"#], rejected: [#"{"tags":[1]}"#]),
    RuleDescription(
      "required", "an object inside the record has its members",
      attributes:
        #"{"address":{"type":"object","required":["street"],"properties":{"street":{"type":"string"}}}}"#,
      accepted: [#"{"address":{"street":"a"}}"#], rejected: [#"{"address":{}}"#]),
    RuleDescription(
      "properties", "a member whose schema is false is absent",
      attributes: #"{"address":{"type":"object","properties":{"old":false}}}"#,
      accepted: [#"{"address":{"new":1}}"#], rejected: [#"{"address":{"old":1}}"#]),
    RuleDescription(
      "additionalProperties", "an object has only the members that are named",
      attributes:
        #"{"address":{"type":"object","properties":{"street":{}},"additionalProperties":false}}"#,
      accepted: [#"{"address":{"street":"a"}}"#], rejected: [#"{"address":{"city":"b"}}"#]),
    RuleDescription(
      "additionalProperties", "at the root, a record has only the members that are read",
      attributes: #"{"street":{"x-source":"/address/street"}}"#,
      root: #""additionalProperties":false"#,
      accepted: [#"{"address":{"street":"a","city":"b"}}"#], rejected: [#"{"city":"b"}"#]),
    RuleDescription(
      "minProperties", "the object, or at the root the record, has at least this many members",
      attributes: #"{"names":{"type":"object","minProperties":1}}"#,
      accepted: [#"{"names":{"en":"a"}}"#], rejected: [#"{"names":{}}"#]),
    RuleDescription(
      "maxProperties", "the object, or at the root the record, has at most this many members",
      attributes: #"{"a":{}}"#, root: #""maxProperties":2"#,
      accepted: [#"{"a":1,"b":2}"#], rejected: [#"{"a":1,"b":2,"c":3}"#]),
    RuleDescription(
      "dependentRequired", "if one member is present, others are, too",
      attributes: #"{"a":{"type":"object","dependentRequired":{"lat":["lon"]}}}"#,
      accepted: [#"{"a":{"lat":1,"lon":2}}"#, #"{"a":{"lon":2}}"#], rejected: [#"{"a":{"lat":1}}"#]),
    RuleDescription(
      "dependentRequired", "at the root, if a record has one attribute, it has others, too",
      attributes: #"{"lat":{"type":"number"},"lon":{"type":"number"}}"#,
      root: #""dependentRequired":{"lat":["lon"]}"#,
      accepted: [#"{"lat":1,"lon":2}"#, #"{}"#], rejected: [#"{"lat":1}"#]),
    RuleDescription(
      "type",
      "with `$ref`, the value satisfies a schema in `$defs`, which may refer to itself",
      attributes: ##"{"tree":{"$ref":"#/$defs/tree"}}"##,
      root:
        ##""$defs":{"tree":{"type":"object","properties":{"leaves":{"items":{"$ref":"#/$defs/tree"}}}}}"##,
      accepted: [#"{"tree":{"leaves":[{"leaves":[]},{}]}}"#],
      rejected: [#"{"tree":{"leaves":[{"leaves":[7]}]}}"#]),
    RuleDescription(
      "instant-range", "with `x-unit`, the number is an instant of the years 0 to 9999",
      attributes: #"{"seen":{"type":"integer","x-unit":"seconds"}}"#,
      accepted: [#"{"seen":1668039187}"#, #"{"seen":-1}"#],
      rejected: [#"{"seen":1517966303000}"#]),
    RuleDescription(
      "instant-range", "a date-time stays in the years 0 to 9999 in UTC",
      attributes: #"{"seen":{"type":"string","format":"date-time"}}"#,
      accepted: [#"{"seen":"9999-12-31T23:59:59Z"}"#, #"{"seen":"0000-01-01T00:00:00Z"}"#],
      rejected: [
        #"{"seen":"9999-12-31T23:59:59-10:00"}"#, #"{"seen":"0000-01-01T00:00:00+10:00"}"#,
      ]),
    RuleDescription(
      "nul", "the text holds no U+0000, unless `x-allow-nul` is true",
      attributes: #"{"name":{"type":"string"},"raw":{"type":"string","x-allow-nul":true}}"#,
      accepted: [#"{"name":"a","raw":"a\u0000b"}"#],
      rejected: [#"{"name":"a\u0000b"}"#]),
    RuleDescription(
      "duplicate-key", "a member that the model maps occurs once",
      attributes: #"{"name":{"type":"string"}}"#,
      accepted: [#"{"name":"a","other":1,"other":2}"#],
      rejected: [#"{"name":"a","name":"a"}"#]),
    RuleDescription(
      "not-an-object", "a record is an object",
      attributes: #"{"name":{"type":"string"}}"#,
      accepted: [#"{}"#], rejected: [#"[]"#, #"42"#, #"null"#]),
  ]
}

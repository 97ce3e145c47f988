extension RuleDescription {
  /// Every rule that looks at a decoded record, in the order in which the README shows them.
  ///
  /// What the text itself may break before it is a record (`syntax`, `utf-8`, …) is described with
  /// the reader.
  public static let catalogue: [RuleDescription] = [
    RuleDescription(
      "required", "the attribute is there, be it null where its type allows that",
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
      "minimum", "the number is not less",
      attributes: #"{"latitude":{"type":"number","minimum":-90}}"#,
      accepted: [#"{"latitude":-90}"#, #"{"latitude":0.5}"#],
      rejected: [#"{"latitude":-90.000001}"#]),
    RuleDescription(
      "maximum", "the number is not greater",
      attributes: #"{"id":{"type":"integer","maximum":9007199254740993}}"#,
      accepted: [#"{"id":9007199254740993}"#],
      rejected: [#"{"id":9007199254740994}"#]),
    RuleDescription(
      "exclusiveMinimum", "the number is greater",
      attributes: #"{"area":{"type":"number","exclusiveMinimum":0}}"#,
      accepted: [#"{"area":0.001}"#], rejected: [#"{"area":0}"#, #"{"area":-1}"#]),
    RuleDescription(
      "exclusiveMaximum", "the number is less",
      attributes: #"{"share":{"type":"number","exclusiveMaximum":1}}"#,
      accepted: [#"{"share":0.999}"#], rejected: [#"{"share":1}"#, #"{"share":1.0}"#]),
    RuleDescription(
      "minLength", "the text has at least so many Unicode scalar values",
      attributes: #"{"name":{"type":"string","minLength":2}}"#,
      accepted: [#"{"name":"éß"}"#, #"{"name":"\u00e9\u00df"}"#],
      rejected: [#"{"name":""}"#, #"{"name":"é"}"#, #"{"name":"😀"}"#]),
    RuleDescription(
      "maxLength", "the text has at most so many Unicode scalar values",
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
      "enum", "an object or an array is none of the values that it can list",
      attributes: #"{"status":{"enum":["open",1]}}"#,
      accepted: [#"{"status":"open"}"#], rejected: [#"{"status":{}}"#, #"{"status":[1]}"#]),
    RuleDescription(
      "const", "the value is this one",
      attributes: #"{"type":{"type":"string","const":"Feature"}}"#,
      accepted: [#"{"type":"Feature"}"#], rejected: [#"{"type":"feature"}"#]),
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
      "duplicate-key", "a member that the model maps stands once",
      attributes: #"{"name":{"type":"string"}}"#,
      accepted: [#"{"name":"a","other":1,"other":2}"#],
      rejected: [#"{"name":"a","name":"a"}"#]),
    RuleDescription(
      "not-an-object", "a record is an object",
      attributes: #"{"name":{"type":"string"}}"#,
      accepted: [#"{}"#], rejected: [#"[]"#, #"42"#, #"null"#]),
  ]
}

import Testing

@testable import ToolSupport

@Suite struct JSONWriterTests {
  private func text(_ value: some JSONWritable) -> String {
    var json = JSONWriter()
    json.value(value)
    return json.text
  }

  private func report() -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("version", 1)
      json.member("digest", String?.none)
      json.array("files") { json in
        json.value("a.json")
        json.object { json in json.member("rows", [1, 2]) }
      }
      json.object("empty") { _ in }
      json.array("none") { _ in }
      json.object("share") { json in json.member("percent", 2.5) }
    }
    return json.text
  }

  @Test func `members stay in their order, on lines that are indented by two`() {
    #expect(
      report() == """
        {
          "version": 1,
          "digest": null,
          "files": [
            "a.json",
            {
              "rows": [
                1,
                2
              ]
            }
          ],
          "empty": {},
          "none": [],
          "share": {
            "percent": 2.5
          }
        }
        """)
  }

  @Test(arguments: [
    ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\n\r\t", #""\n\r\t""#),
    ("\u{0}\u{8}\u{1f}", #""\u0000\u0008\u001f""#), ("\u{7f}\u{9b}", #""\u007f\u009b""#),
    ("\u{2028}", #""\u2028""#), ("é漢😀", #""é漢😀""#), ("\r\n", #""\r\n""#),
  ])
  func `strings are escaped`(string: String, expected: String) {
    #expect(text(string) == expected)
  }

  @Test func `names are escaped too`() {
    var json = JSONWriter()
    json.object { json in json.member("a\"\u{1b}", true) }
    #expect(json.text == "{\n  " + #""a\"\u001b": true"# + "\n}")
  }

  @Test func `numbers keep all their digits`() {
    #expect(text(Int.min) == "-9223372036854775808")
    #expect(text(Int64.max) == "9223372036854775807")
    #expect(text(UInt64.max) == "18446744073709551615")
    #expect(text(0.1) == "0.1")
    #expect(text(1e300) == "1e+300")
    #expect(text(-0.0) == "-0.0")
    #expect(text(Double.infinity) == "null")
    #expect(text(Double.nan) == "null")
    #expect(text([true, false]) == "[\n  true,\n  false\n]")
  }

  @Test func `a value without a name in an object is a mistake of the caller`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.object { json in json.value(1) }
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.array { json in json.member("a", 1) }
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.value(1)
      json.value(2)
    }
  }
}

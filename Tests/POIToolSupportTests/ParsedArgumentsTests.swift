import Testing

@testable import POIToolSupport

@Suite struct ParsedArgumentsTests {
  private func parsed(limit: String) throws -> ParsedArguments {
    try CommandDescription.example.parse(["--limit=\(limit)", "a"])
  }

  @Test(arguments: [("0", 0), ("1", 1), ("007", 7), ("-3", -3), ("9223372036854775807", Int.max)])
  func `whole numbers are read`(text: String, number: Int) throws {
    #expect(try parsed(limit: text).integer("limit", in: Int.min...Int.max) == number)
  }

  @Test(arguments: [
    "", "-", "+1", "1.0", "1e3", " 1", "1 ", "0x1", "1_000", "٣", "9223372036854775808",
  ])
  func `a value that is not a whole number is refused`(text: String) throws {
    let arguments = try parsed(limit: text)
    #expect(throws: UsageError.self) { try arguments.integer("limit", in: Int.min...Int.max) }
  }

  @Test func `a number out of range is refused with the range`() throws {
    let arguments = try parsed(limit: "0")
    let error = #expect(throws: UsageError.self) { try arguments.integer("limit", in: 1...1000) }
    #expect(error?.message == "--limit: '0' is not a whole number from 1 to 1000")
    let open = #expect(throws: UsageError.self) { try arguments.integer("limit", in: 1...Int.max) }
    #expect(open?.message == "--limit: '0' is not a whole number of at least 1")
  }

  @Test func `an absent number is nil or the default`() throws {
    let arguments = try CommandDescription.parse("a")
    #expect(try arguments.integer("limit") == nil)
    #expect(try arguments.byteCount("limit") == nil)
    #expect(try arguments.value("limit", "is odd", Int.init) == nil)
    #expect(try arguments.integer("mesh") == 500)
  }

  @Test(arguments: [
    ("0", 0), ("4096", 4096), ("12B", 12), ("500k", 500_000), ("500K", 500_000),
    ("500kB", 500_000), ("64M", 64_000_000), ("64MB", 64_000_000), ("2G", 2_000_000_000),
    ("8KiB", 8192), ("8MiB", 8_388_608), ("1GiB", 1_073_741_824),
  ])
  func `sizes are read`(text: String, count: Int) throws {
    #expect(try parsed(limit: text).byteCount("limit") == count)
  }

  @Test(arguments: ["", "M", "-1", "1.5M", "1 M", "1m", "1TiBs", "1MM", "9223372036854775807k"])
  func `a value that is not a size is refused`(text: String) throws {
    let arguments = try parsed(limit: text)
    #expect(throws: UsageError.self) { try arguments.byteCount("limit") }
  }

  @Test func `a size out of range is refused with the range`() throws {
    let arguments = try parsed(limit: "1k")
    let error = #expect(throws: UsageError.self) {
      try arguments.byteCount("limit", in: 65536...2_000_000_000)
    }
    #expect(
      error?.message == "--limit: '1k' is not a size in bytes from 64KiB to 2G, such as 64M "
        + "or 8MiB")
  }

  @Test func `a value that is not understood is refused with the complaint`() throws {
    let arguments = try parsed(limit: "x")
    #expect(try arguments.value("limit", "is odd") { $0 } == "x")
    let error = #expect(throws: UsageError.self) {
      try arguments.value("limit", "is odd", Int.init)
    }
    #expect(error?.message == "--limit: 'x' is odd")
  }

  @Test(arguments: [
    ("0s", Duration.zero), ("90s", .seconds(90)), ("15m", .seconds(900)),
    ("36h", .seconds(129_600)), ("90d", .seconds(7_776_000)), ("2w", .seconds(1_209_600)),
  ])
  func `durations are read`(text: String, span: Duration) throws {
    #expect(try parsed(limit: text).duration("limit") == span)
  }

  @Test(arguments: ["", "d", "1", "-1d", "1.5d", "1y", "1 d", "99999999999999999d", "1dd"])
  func `a value that is not a duration is refused`(text: String) throws {
    let arguments = try parsed(limit: text)
    let error = #expect(throws: UsageError.self) { try arguments.duration("limit") }
    #expect(error?.message.contains("90s, 15m, 36h, 90d or 2w") == true)
  }

  @Test func `a choice is read as a value`() throws {
    enum Order: String { case fine, coarse }
    #expect(try CommandDescription.parse("a").choice("order", as: Order.self) == .fine)
    let arguments = try CommandDescription.parse("--order=coarse", "a")
    #expect(arguments.choice("order", as: Order.self) == .coarse)
    #expect(arguments.choice("completions", as: Shell.self) == nil)
  }

  @Test func `an option that the table lacks is a programming error`() async {
    await #expect(processExitsWith: .failure) {
      _ = try CommandDescription.parse("a").flag("no-such-option")
    }
  }
}

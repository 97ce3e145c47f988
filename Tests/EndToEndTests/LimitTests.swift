import Glibc
import POISQLite
import POITestSupport
import Testing

/// Inputs that try to exhaust memory or time: each ends with a message that names the limit and its
/// option, in bounded memory.
///
/// `LIMITS=long` in the environment makes them as large as possible: 100 MB of brackets, strings of
/// 1 GB. `RELEASE_TOOLS` names a folder of released tools, which need minutes for that, not hours.
/// `Tests/run` uses a tenth of it, and far less for debug builds.
@Suite struct LimitTests {
  private let importer =
    CallCountTests.releaseFolder.map { Tool(path: $0 + "/poi-import") } ?? Tool("poi-import")
  private static let isLong = unsafe getenv("LIMITS").map { unsafe String(cString: $0) } == "long"

  private static let model =
    #"{"x-table":"t","properties":{"id":{"type":["number","null"]},"v":{}}}"#

  /// An input, the rule that it breaks, and what the message must name.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var pieces: [(text: String, count: Int)]
    var exitCode: Int32
    var expected: String
    var option = ""
    var testDescription: String { name }
  }

  /// Whether the tools are of a debug build, which is far slower.
  private static let isShort = !isLong && CallCountTests.releaseFolder == nil
  private static let scale = isLong ? 1 : isShort ? 100 : 10
  /// The limits of a record and a string, in bytes, and the pieces that must exceed them.
  private static let part = isShort ? 4 : 1
  private static let recordByteLimit = (4 << 20) / part
  private static let stringByteLimit = (1 << 20) / part
  private static let limits = [
    "--model", "model.json", "--max-record-bytes", "\(recordByteLimit)", "--max-string-bytes",
    "\(stringByteLimit)",
  ]
  private static let sound = #"{"id":1}"#

  static let cases: [Case] = [
    Case(
      name: "brackets", pieces: [("[", 100_000_000 / scale)], exitCode: 65,
      expected: "ends before the elements do"),
    Case(
      name: "brackets in a record",
      pieces: [
        ("[\(sound),", 1), (#"{"v":"#, 1), ("[", 500_000 / part), ("]", 500_000 / part), ("}]", 1),
      ],
      exitCode: 1, expected: "nested deeper than 128 levels", option: "--max-depth"),
    Case(
      name: "a string in a record",
      pieces: [("[\(sound),{\"v\":\"", 1), ("x", 1_000_000_000 / scale), ("\"},\(sound)]", 1)],
      exitCode: 1,
      expected: "longer than \(recordByteLimit) bytes", option: "--max-record-bytes"),
    Case(
      name: "a string in a short record",
      pieces: [("[\(sound),{\"v\":\"", 1), ("x", 2_000_000 / part), ("\"},\(sound)]", 1)],
      exitCode: 1,
      expected:
        "string or number is longer than \(stringByteLimit) bytes", option: "--max-string-bytes"
    ),
    Case(
      name: "escapes",
      pieces: [(#"{"v":""#, 1), (#"\u0078"#, 160_000_000 / scale), ("\"}\n\(sound)\n", 1)],
      exitCode: 1, expected: "--max-record-bytes sets its limit"),
    Case(
      name: "a string beside the records",
      pieces: [(#"{"note":""#, 1), ("x", 1_000_000_000 / scale), ("\",\"rows\":[\(sound)]}", 1)],
      exitCode: 65, expected: "raise the limit with --max-string-bytes"),
    Case(
      name: "depth beside the records",
      pieces: [(#"{"note":"#, 1), ("[", 1_000), ("]", 1_000), (",\"rows\":[\(sound)]}", 1)],
      exitCode: 65, expected: "raise the limit with --max-depth"),
    Case(
      name: "a million keys",
      pieces: [("[\(sound),{\"v\":0", 1), (#","k":1"#, 1_000_000 / part), ("},\(sound)]", 1)],
      exitCode: 1,
      expected: "an object has more than 10000 members", option: "--max-keys"),
    Case(
      name: "a record of 64 MB",
      pieces: [
        ("[\(sound),{\"v\":[0", 1), (#","0123456789abcde""#, 4_000_000 / (isLong ? 1 : 8 * part)),
        ("]},\(sound)]", 1),
      ],
      exitCode: 1,
      expected: "longer than \(recordByteLimit) bytes", option: "--max-record-bytes"),
    Case(
      name: "a million digits", pieces: [("[{\"id\":", 1), ("7", 1_000_000 / part), ("}]", 1)],
      exitCode: 1, expected: "is beyond the range of a double"),
    Case(
      name: "brackets and nothing else, within the limit",
      pieces: [("[{\"v\":[[]", 1), (",[]", 1_390_000 / part), ("]}]", 1)], exitCode: 0, expected: ""
    ),
  ]

  @Test(arguments: cases)
  func `memory stays within the bound, and the message names the option`(example: Case) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    example.write(to: folder.file("data.json"))
    let outcome = try runBounded(Self.limits + ["data.json"], in: folder)
    #expect(outcome.exitCode == example.exitCode, "\(outcome)")
    let store = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    let reasons = try store.text("SELECT group_concat(message) FROM poikit_reject") ?? ""
    #expect((outcome.messages + reasons).contains(example.expected), "\(outcome)\n\(reasons)")
    #expect(outcome.messages.contains(example.option), "\(outcome)")
  }

  @Test(arguments: isShort ? ["gzip"] : ["zstd", "gzip", "xz", "bzip2"])
  func `decompressed input is not held in memory`(program: String) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let bomb = Case(
      name: "",
      pieces: [
        ("[\(Self.sound),{\"v\":\"", 1),
        ("x", (Self.isLong ? 4_000 : Self.isShort ? 20 : 100) << 20),
        ("\"},\(Self.sound)]", 1),
      ], exitCode: 1, expected: "")
    bomb.write(to: folder.file("data.json"))
    let packed = try Tool(path: "/bin/sh").run(
      ["-c", "\(program) -1 <data.json >data && rm data.json"], in: folder.path)
    try #require(packed.exitCode == 0, "\(packed)")
    let outcome = try runBounded(Self.limits + ["data"], in: folder)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(outcome.output.contains("element-bytes 1"), "\(outcome)")
    let asModel = try runBounded(["--model", "data", "data"], in: folder, times: 24 * Self.part)
    #expect(asModel.exitCode == 64, "\(asModel)")
    #expect(asModel.messages.contains("longer than 16 MiB"), "\(asModel)")
  }

  @Test func `unique elements use as much memory as the reference says`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","properties":{"v":{"type":"array","uniqueItems":true}}}"#, to: "model.json")
    let count = (Self.recordByteLimit - 16) / 3
    try folder.write(
      "{\"v\":[[]" + String(repeating: ",[]", count: count - 1) + "]}", to: "data.json")
    let outcome = try runBounded(
      ["--model", "model.json", "--max-record-bytes", "\(Self.recordByteLimit)", "data.json"],
      in: folder, times: 32)
    #expect(outcome.output.contains("uniqueItems 1"), "\(outcome)")
  }

  /// Runs the tool and checks its memory against the reference: 40 MB plus a multiple of the record
  /// limit.
  ///
  /// A small process starts it: the system counts the memory of the parent process, too.
  private func runBounded(
    _ arguments: [String], in folder: borrowing ScratchFolder, times: Int = 24
  ) throws -> Tool.Outcome {
    let script = """
      import resource, subprocess, sys
      code = subprocess.call(sys.argv[1:])
      open("peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
      sys.exit(code)
      """
    let outcome = try Tool(path: "/usr/bin/env").run(
      ["python3", "-c", script, importer.path] + arguments, in: folder.path)
    let peak = try #require(Int(String(decoding: try folder.bytes("peak"), as: UTF8.self)))
    #expect(peak < 40_000 + times * Self.recordByteLimit / 1_024, "\(peak) KiB")
    return outcome
  }
}

extension LimitTests.Case {
  /// Writes the input, which may be larger than memory.
  func write(to path: String) {
    guard let file = unsafe fopen(path, "wb") else { return }
    defer { unsafe fclose(file) }
    for piece in pieces {
      let text = Array(piece.text.utf8)
      let block = Array(repeatElement(text, count: min(piece.count, 10_000)).joined())
      var left = piece.count
      while left > 0 {
        let count = min(left, 10_000)
        unsafe fwrite(block, 1, count * text.count, file)
        left -= count
      }
    }
  }
}

internal import Glibc
internal import JSONStreaming
internal import POIFiles
internal import POIKit

/// Runs a single phase of the toolkit and prints its processor seconds as JSON.
@main
struct Phases {
  private static let help = """
    usage: phases parse FILE | check FILE | digest COUNT | dedup STORE

      parse    the elements of an array, without a look at them
      check    the same, decoded, checked and digested
      digest   MurmurHash3 x64 128 of COUNT records of 400 bytes
      dedup    the duplicates of a store, and the unique index
    """

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { fail(help) }
    switch arguments[1] {
    case "parse": try parse(arguments[2])
    case "check": try check(arguments[2])
    case "digest":
      guard let count = Int(arguments[2]) else { fail(help) }
      digest(count)
    case "dedup": try deduplicate(arguments[2])
    default: fail(help)
    }
  }

  private static func fail(_ message: String) -> Never {
    print(message)
    exit(64)
  }

  /// The processor time of this process, in seconds.
  private static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func parse(_ path: String) throws {
    let start = now()
    var source = try FileSource(path: path)
    var reader = ElementReader(shape: .container(JSONPointer(tokens: [])))
    var count = 0
    reading: while true {
      switch try reader.next() {
      case .element: count += 1
      case .malformed: fail("a record of \(path) is malformed")
      case .end: break reading
      case .needsInput:
        let length = try reader.fill { (output) throws(InputError) in
          try source.read(into: &output)
        }
        if length == 0 { reader.finish() }
      }
    }
    print(#"{"records": \#(count), "cpu": {"parse": \#(now() - start)}}"#)
  }

  private static func check(_ path: String) throws {
    let start = now()
    var session = try ImportSession(checking: .poi)
    try session.importAll(.file(path))
    let report = try session.finish()
    print(#"{"records": \#(report.counters.read), "cpu": {"check": \#(now() - start)}}"#)
  }

  private static func digest(_ count: Int) {
    let records = (0..<64).map { number in (0..<400).map { UInt8(truncatingIfNeeded: $0 * number) }
    }
    var sum: UInt64 = 0
    let start = now()
    for index in 0..<count {
      let record = records[index % 64]
      sum &+= MurmurHash3.digest(of: record.span).low
    }
    let seconds = now() - start
    print(#"{"records": \#(count), "sum": \#(sum), "cpu": {"digest": \#(seconds)}}"#)
  }

  private static func deduplicate(_ path: String) throws {
    let start = now()
    var (lastRead, firstRemoved, lastRemoved) = (start, 0.0, 0.0)
    var rowCount = 0
    let store = try Store(path, for: .existing)
    var options = DeduplicationOptions()
    options.enforcement = .index
    let report = try store.deduplicate(
      by: ["identifier"], options: options,
      progress: { progress in
        if progress.stage == .removing {
          if progress.completedCount == 0 || firstRemoved == 0 { firstRemoved = now() }
          lastRemoved = now()
        } else {
          lastRead = now()
          rowCount = progress.completedCount
        }
        return .proceed
      })
    let end = now()
    print(
      #"{"records": \#(rowCount), "losers": \#(report.plan.loserCount), "cpu": {"#
        + #""scan": \#(lastRead - start), "sort": \#(firstRemoved - lastRead), "#
        + #""delete": \#(lastRemoved - firstRemoved), "index": \#(end - lastRemoved)}}"#)
  }
}

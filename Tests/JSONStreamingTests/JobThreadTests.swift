import JSONStreaming
import Synchronization
import Testing

@Suite struct JobThreadTests {
  private final class Log: Sendable {
    let events = Mutex<[String]>([])

    func note(_ event: String) { events.withLock { $0.append(event) } }
  }

  private struct Job: ~Copyable {
    let log: Log
    var number = 0

    deinit { log.note("dropped \(number)") }
  }

  @Test func `a job comes back with what the thread did to it`() throws {
    var thread = try JobThread<[Int]> { $0.append($0.count) }
    let before = thread.finish()
    var numbers: [Int] = []
    for _ in 0..<1_000 {
      thread.start(numbers)
      numbers = thread.finish() ?? []
    }
    let after = thread.finish()
    #expect(before == nil && after == nil)
    #expect(numbers == Array(0..<1_000))
  }

  @Test func `a thread that is dropped does its job and drops it`() throws {
    let log = Log()
    do {
      var thread = try JobThread<Job> { $0.number += 1 }
      thread.start(Job(log: log))
    }
    #expect(log.events.withLock { $0 } == ["dropped 1"])
  }
}

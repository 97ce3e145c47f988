import Glibc
import Testing

@testable import POIToolSupport

@Suite struct StandardOutputTests {
  @Test func `bytes arrive in order, at the latest when flushed`() {
    let file = ScratchFile()
    var output = StandardOutput(descriptor: file.descriptor)
    output.write("a")
    #expect(file.text == "")
    let long = String(repeating: "é", count: 100_000)
    output.write(long)
    #expect(file.text == "a" + long)
    output.write("z")
    output.flush()
    output.flush()
    #expect(file.text == "a" + long + "z")
    let failure = output.failure
    #expect(failure == nil)
  }

  @Test func `a pipe that is full and does not block is waited for`() {
    var ends: [Int32] = [0, 0]
    let result = unsafe pipe(&ends)
    #expect(result == 0)
    let (readEnd, writeEnd) = (ends[0], ends[1])
    #expect(fcntl(writeEnd, F_SETFL, O_NONBLOCK) == 0)
    // Another thread counts the bytes; a task might never run while this one waits.
    var reader = pthread_t()
    let context = unsafe UnsafeMutableRawPointer(bitPattern: Int(readEnd))
    let counter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
      let readEnd = Int32(Int(bitPattern: $0))
      var chunk = [UInt8](repeating: 0, count: 4096)
      var total = 0
      while case let count = unsafe read(readEnd, &chunk, chunk.count), count > 0 { total += count }
      return unsafe UnsafeMutableRawPointer(bitPattern: total)
    }
    unsafe pthread_create(&reader, nil, counter, context)
    var output = StandardOutput(descriptor: OutputDescriptor(number: writeEnd, name: "a pipe"))
    output.write(String(repeating: "x", count: 1_000_000))
    output.flush()
    close(writeEnd)
    var arrived: UnsafeMutableRawPointer?
    unsafe pthread_join(reader, &arrived)
    close(readEnd)
    let failure = output.failure
    #expect(failure == nil)
    #expect(Int(bitPattern: arrived) == 1_000_000)
  }

  @Test func `a value is written verbatim, but printable on a terminal`() throws {
    let file = ScratchFile()
    var output = StandardOutput(descriptor: file.descriptor)
    output.write(value: "a\u{1b}[2J")
    output.flush()
    #expect(file.text == "a\u{1b}[2J")

    var (terminal, other): (Int32, Int32) = (-1, -1)
    let result = unsafe openpty(&terminal, &other, nil, nil, nil)
    try #require(result == 0)
    defer {
      close(terminal)
      close(other)
    }
    output = StandardOutput(descriptor: OutputDescriptor(number: other, name: "a terminal"))
    output.write(value: "a\u{1b}[2J")
    output.flush()
    var shown = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(terminal, &shown, shown.count)
    #expect(String(decoding: shown.prefix(max(0, count)), as: UTF8.self) == #"a\u{1b}[2J"#)
  }

  @Test func `a closed reader is not a failure`() {
    Interruption.catchFailedWrites()
    var ends: [Int32] = [0, 0]
    let result = unsafe pipe(&ends)
    #expect(result == 0)
    close(ends[0])
    defer { close(ends[1]) }
    var output = StandardOutput(descriptor: OutputDescriptor(number: ends[1], name: "a pipe"))
    output.write("a")
    output.flush()
    output.write("b")
    output.flush()
    let (isClosed, failure) = (output.isClosed, output.failure)
    #expect(isClosed)
    #expect(failure == nil)
  }

  @Test func `the first failure is kept`() {
    let number = unsafe open("/dev/full", O_WRONLY)
    #expect(number >= 0)
    defer { close(number) }
    var output = StandardOutput(descriptor: OutputDescriptor(number: number, name: "the disk"))
    output.write("a")
    let earlyFailure = output.failure
    #expect(earlyFailure == nil)
    output.flush()
    let (isClosed, failure) = (output.isClosed, output.failure)
    #expect(isClosed)
    #expect(failure == "cannot write to the disk: No space left on device")
  }
}

import Glibc
import TestSupport
import Testing

@testable import POIKit

@Suite struct LockHolderTests {
  /// A lock on a byte of a file, as the system lists it.
  private static func lock(of process: pid_t, on path: String, at byte: Int) -> String {
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    return "1: POSIX  ADVISORY  WRITE \(process) 00:00:\(status.st_ino) \(byte) \(byte)\n"
  }

  @Test func `a process that does not have the file open holds no lock on it`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("", to: "a.sqlite")
    let locks = Self.lock(of: getppid(), on: path, at: 1 << 30)
    #expect(LockHolder.find(of: path, in: locks)?.process == nil)
  }

  @Test func `a process whose files cannot be seen may hold a lock`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("", to: "a.sqlite")
    let locks = Self.lock(of: .max, on: path, at: 1 << 30)
    #expect(LockHolder.find(of: path, in: locks)?.process == Int(pid_t.max))
  }
}

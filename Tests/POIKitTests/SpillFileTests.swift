import Glibc
import Testing

@testable import POIKit

@Suite struct SpillFileTests {
  @Test func `a file that ends too early is not blamed on the system's latest error`() throws {
    var file = SpillFile(folder: nil)
    let bytes: [UInt8] = [1, 2, 3]
    try unsafe bytes.withUnsafeBytes { try unsafe file.append($0) }
    var read = [UInt8](repeating: 0, count: 4)
    errno = EACCES
    let error = #expect(throws: StoreFailure.self) {
      try unsafe read.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: 0) }
    }
    #expect(
      error?.message.hasSuffix(": it ends too early") == true, "\(String(describing: error))")
  }
}

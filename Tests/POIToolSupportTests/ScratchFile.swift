import Glibc

@testable import POIToolSupport

/// A nameless file for the output of the code under test.
final class ScratchFile: Sendable {
  let descriptor: OutputDescriptor

  init() {
    var template = Array("/tmp/toolsupport.XXXXXX".utf8CString)
    let number = unsafe template.withUnsafeMutableBufferPointer { buffer in
      let number = unsafe mkstemp(buffer.baseAddress!)
      unsafe unlink(buffer.baseAddress!)
      return number
    }
    precondition(number >= 0, "a file can be made in /tmp")
    descriptor = OutputDescriptor(number: number, name: "the scratch file")
  }

  deinit {
    close(descriptor.number)
  }

  var text: String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe pread(descriptor.number, &chunk, chunk.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }
}
